#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/records/batch_errc.h"

namespace braid::protocol {

/// A record that can't be taken, by its place in the batch, counted from 0.
struct RecordError {
  std::int32_t index = 0;
  BatchErrc reason{};
  std::int64_t timestamp = 0;  // of the record
};

/// One line for the answer's record_errors.
std::string to_message(const RecordError& error);

/// The bad records of one batch: the first kRecordErrorsMax of them, and the count of all. Reused from batch to batch.
/// One thread.
class RecordErrors {
 public:
  void clear();
  void add(const RecordError& error);

  bool empty() const { return total_ == 0; }
  std::size_t total() const { return total_; }
  std::span<const RecordError> listed() const { return listed_; }

  /// What the whole batch is refused for: a timestamp if any record has a bad one, else the first record's reason.
  /// Checked not to be empty.
  BatchErrc decisive() const;

 private:
  std::vector<RecordError> listed_;
  std::size_t total_ = 0;
  BatchErrc decisive_{};
};

}  // namespace braid::protocol
