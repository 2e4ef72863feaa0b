#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/decompression.h"
#include "protocol/wire/varint.h"

namespace braid::protocol {

/// The content that a started Decompressor yields, as one stream: what is buffered can be looked at in place, and
/// running into the end of it fetches the next piece. One thread.
class BodyStream {
 public:
  /// Borrows the decompressor, whose start() was called.
  explicit BodyStream(Decompressor& decompressor) : decompressor_(decompressor) {}

  /// What is at hand of the current piece; empty only at the end or before the first fetch().
  ByteView buffered() const { return piece_; }
  void consume(std::size_t count) { piece_ = piece_.subspan(count); }

  /// Makes sure that something is buffered. False at the end of the content, or when it does not decompress: ask
  /// failure().
  bool fetch();

  /// Why the content ended early; no error if it did not.
  boost::system::error_code failure() const { return failure_; }

 private:
  Decompressor& decompressor_;
  ByteView piece_;
  boost::system::error_code failure_;
  bool ended_ = false;
};

/// A cursor as record_shape.h wants it, over the next `limit` bytes of a stream, however many pieces they span. Slower
/// than RecordCursor: for the records that do not lie in one piece.
class StreamCursor {
 public:
  StreamCursor(BodyStream& stream, std::size_t limit) : stream_(stream), limit_(limit) {}

  bool ok() const { return !failed_; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return failed_ ? 0 : limit_ - position_; }

  std::uint8_t u8();
  std::int32_t varint() { return zigzag_decode(read_variable<std::uint32_t>(*this)); }
  std::int64_t varlong() { return zigzag_decode(read_variable<std::uint64_t>(*this)); }
  void skip(std::size_t count);
  void fail() { failed_ = true; }

 private:
  BodyStream& stream_;
  const std::size_t limit_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace braid::protocol
