#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_cursor.h"

namespace braid::protocol {

/// A name and a value that a record carries beside its own; names may repeat.
struct RecordHeader {
  ByteView key;
  std::optional<ByteView> value;
};

/// The headers of one record, read on the way: nothing is allocated. They were found well-formed when the record was.
///
///   RecordHeaders headers = record.headers;
///   while (const std::optional<RecordHeader> header = headers.next()) use(*header);
class RecordHeaders {
 public:
  RecordHeaders() = default;
  RecordHeaders(ByteView bytes, std::int32_t count) : bytes_(bytes), left_(count) {}

  /// Headers that next() will still yield.
  std::int32_t left() const { return left_; }
  /// None at the end.
  std::optional<RecordHeader> next();

 private:
  ByteView bytes_;
  std::int32_t left_ = 0;
};

/// One record, with offset and timestamp as a consumer sees them. Borrows from the body it was read from.
struct Record {
  std::int64_t offset = 0;
  std::int64_t timestamp = kNoTimestamp;
  std::optional<ByteView> key;
  std::optional<ByteView> value;
  RecordHeaders headers;
};

/// Walks the records of a batch in order; nothing is allocated.
///
///   TRY(const ByteView body, record_body(batch, bytes_max, decompressor, buffer));
///   RecordIterator records(batch, body);
///   while (true) {
///     TRY(const std::optional<Record> record, records.next());
///     if (!record) break;
///     use(*record);
///   }
///
/// Borrows both; views in records live as long as `body`. One thread.
class RecordIterator {
 public:
  /// `body` is the batch's content, uncompressed.
  RecordIterator(const RecordBatch& batch, ByteView body);

  /// None after as many records as the batch declares. Errc::malformed: a record that is none, fewer of them than
  /// declared, or bytes after the last.
  Result<std::optional<Record>> next();

 private:
  std::int64_t timestamp_of(std::int64_t delta) const;

  const std::int64_t base_offset_;
  const std::int64_t base_timestamp_;
  const std::optional<std::int64_t> log_append_time_;  // then it is the timestamp of every record
  ByteView rest_;
  std::int32_t left_;
};

/// The content of a batch's body: the bytes in place, or, when compressed, a view of `buffer`, which is overwritten.
/// Errors as Decompressor::next(); Errc::malformed if the codec does not exist.
Result<ByteView> record_body(const RecordBatch& batch, std::size_t bytes_max, Decompressor& decompressor,
                             Bytes& buffer);

}  // namespace braid::protocol
