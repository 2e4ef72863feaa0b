#pragma once

#include <cstddef>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/byte_sink.h"

namespace braid::protocol {

/// Writes snappy blocks of kXerialBlockBytes in xerial's framing. Part of Compressor, whose contract holds here;
/// `staging` is memory to work in, of at least staging_bytes().
class XerialSink {
 public:
  static std::size_t staging_bytes();

  void start();
  Result<void> write(ByteView piece, ByteSink& out, MutableBytes staging);
  Result<void> finish(ByteSink& out, MutableBytes staging);

 private:
  Result<void> begin_once(ByteSink& out);
  static Result<void> write_block(ByteView content, ByteSink& out, MutableBytes staging);

  Bytes pending_;  // content of a block that is not full yet
  bool begun_ = false;
};

}  // namespace braid::protocol
