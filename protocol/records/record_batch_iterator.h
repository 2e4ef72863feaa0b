#pragma once

#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/record_batch.h"

namespace braid::protocol {

/// Walks the batches of a records field in order, by their lengths alone: nothing in a batch but its length and magic
/// is looked at.
///
///   RecordBatchIterator batches(field);
///   while (true) {
///     TRY(const std::optional<RecordBatch> batch, batches.next());
///     if (!batch) break;
///     use(*batch);
///   }
///
/// Borrows the bytes. One thread.
class RecordBatchIterator {
 public:
  explicit RecordBatchIterator(ByteView records_field) : rest_(records_field) {}

  /// The next batch, whose views live as long as the field's bytes; none at the end. Errc::truncated: the bytes end
  /// within a batch (a fetch may be cut there). Errc::malformed: a length or magic that no batch has; there is no way
  /// to go on.
  Result<std::optional<RecordBatch>> next();

 private:
  ByteView rest_;
};

}  // namespace braid::protocol
