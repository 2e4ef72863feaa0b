#pragma once

#include <cstddef>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::protocol {

/// Appends to bytes that belong to someone else, up to a bound on their whole size. Where a Compressor's codecs write.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(Bytes& out, std::size_t out_bytes_max) : out_(&out), out_bytes_max_(out_bytes_max) {}

  /// Errc::too_large: nothing was appended.
  Result<void> append(ByteView bytes) {
    if (out_->size() > out_bytes_max_ || bytes.size() > out_bytes_max_ - out_->size()) {
      return make_error_code(Errc::too_large);
    }
    out_->insert(out_->end(), bytes.begin(), bytes.end());
    return ok();
  }

 private:
  Bytes* out_ = nullptr;
  std::size_t out_bytes_max_ = 0;
};

}  // namespace braid::protocol
