#include "storage/env/file_system.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <cerrno>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "storage/env/aligned_buffer.h"

namespace braid::storage {
namespace {

using protocol::check;

bool is_aligned(std::uint64_t number) { return number % kDirectAlignmentBytes == 0; }

bool is_aligned(ByteView bytes) {
  return is_aligned(reinterpret_cast<std::uintptr_t>(bytes.data())) && is_aligned(bytes.size());
}

/// What is left of a gather list after part of it was written.
class Remainder {
 public:
  explicit Remainder(std::span<const ByteView> pieces) : pieces_(pieces) { skip_empty(); }

  bool empty() const { return pieces_.empty(); }

  /// The next pieces, as many as one call takes.
  std::span<const ByteView> window() {
    const std::size_t count = std::min(pieces_.size(), window_.size());
    std::copy_n(pieces_.begin(), count, window_.begin());
    window_[0] = window_[0].subspan(done_in_first_);
    return std::span(window_).first(count);
  }

  void advance(std::size_t bytes) {
    done_in_first_ += bytes;
    skip_empty();
  }

 private:
  void skip_empty() {
    while (!pieces_.empty() && done_in_first_ >= pieces_.front().size()) {
      done_in_first_ -= pieces_.front().size();
      pieces_ = pieces_.subspan(1);
    }
  }

  std::span<const ByteView> pieces_;
  std::size_t done_in_first_ = 0;
  std::array<ByteView, protocol::kGatherPiecesMax> window_;
};

/// Calls that were interrupted before they made any progress: each may be tried again, but not for ever.
class Interruptions {
 public:
  void forget() { count_ = 0; }
  bool may_try_again() { return ++count_ < protocol::kInterruptionsMax; }
  bool may_try_again(const boost::system::error_code& error) {
    return error == boost::system::errc::interrupted && may_try_again();
  }

 private:
  std::size_t count_ = 0;
};

}  // namespace

boost::system::error_code file_error(int error_number) { return {error_number, boost::system::system_category()}; }

Result<std::size_t> File::read(std::uint64_t at, MutableBytes into) {
  check(!direct_ || (is_aligned(at) && is_aligned(into)), "a direct read is aligned");
  std::size_t done = 0;
  Interruptions interruptions;
  while (done < into.size()) {
    const Result<std::size_t> read = read_some(at + done, into.subspan(done));
    if (read.has_error()) {
      if (interruptions.may_try_again(read.error())) continue;
      return read.error();
    }
    interruptions.forget();
    done += *read;
    // A direct read that stops inside a block has met the end; going on there would be unaligned.
    if (*read == 0 || (direct_ && !is_aligned(done))) break;
  }
  return done;
}

Result<void> File::write(std::uint64_t at, ByteView bytes) { return write(at, std::span(&bytes, 1)); }

Result<void> File::write(std::uint64_t at, std::span<const ByteView> pieces) {
  check(!direct_ || (is_aligned(at) && std::ranges::all_of(pieces, [](ByteView piece) { return is_aligned(piece); })),
        "a direct write is aligned");
  Remainder remainder(pieces);
  Interruptions interruptions;
  while (!remainder.empty()) {
    const Result<std::size_t> written = write_some(at, remainder.window());
    if (written.has_error()) {
      if (interruptions.may_try_again(written.error())) continue;
      return written.error();
    }
    // A direct write goes on at a block's start; the part of a block that was written is written again.
    const std::size_t progress = direct_ ? *written - *written % kDirectAlignmentBytes : *written;
    if (progress == 0) {
      // Not even a block is no progress. Neither an error nor a byte would never end.
      if (*written > 0 && interruptions.may_try_again()) continue;
      return file_error(EIO);
    }
    interruptions.forget();
    remainder.advance(progress);
    at += progress;
  }
  return protocol::ok();
}

}  // namespace braid::storage
