#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/env/aligned_buffer.h"
#include "storage/types.h"

namespace braid::storage {

using protocol::ByteView;
using protocol::MutableBytes;
using protocol::Result;

/// The newest bytes of the log, in memory: a chain of slabs, each a whole number of blocks of one file. The lane
/// appends at its end, the writer takes bytes to the disk, readers copy. What is written stays until its slab is needed
/// again.
///
///     slab │ slab │ slab │ slab ░░░      ░ free
///     ─────┴──────┴──────┴────▲───
///      written: may go         end()
///
/// One mutex guards the chain, for look-up, linking and unlinking; bytes are copied and appended outside it. A pin,
/// which a reader has for one copy, keeps a slab from being used again.
class Tail {
 public:
  struct Options {
    std::int64_t slab_bytes = 0;  // whole blocks
    std::int64_t bytes_max = 0;   // of written slabs, kept for readers: what is not written may exceed it
  };
  Tail(LogGeometry geometry, Options options) : geometry_(geometry), options_(options) {}

  /// Lane, before anything else: the log ends at `end`; `block` is what its last block holds below that.
  Result<void> start(LogPosition end, ByteView block);
  LogPosition end() const { return end_; }

  /// Lane: memory for the next `bytes`, wherever a file ends, so that appending can't fail. Slabs of which all is below
  /// `written` are used again. not_enough_memory.
  Result<void> make_room(std::int64_t bytes, LogPosition written);
  /// Lane: what does not fit into a slab goes on in the next, of the same file. Room was made.
  void append(ByteView bytes);
  /// Lane: the file ends here; the next append is the first entry of the next.
  void end_file();

  /// Writer: what is to be written of [begin, published) in begin's file, from begin's block on. `begin` is no file's
  /// first byte. The views stay valid until that is written.
  struct Gathered {
    std::vector<ByteView> pieces;
    LogPosition end;  // of the bytes; before `published` when the file ends there
  };
  void gather(LogPosition begin, LogPosition published, Gathered& into);
  /// Writer: changes bytes that are not written yet.
  void overwrite(LogPosition at, ByteView bytes);

  /// Any thread: false when not all of it is here.
  bool copy(LogPosition at, MutableBytes into) const;

  /// Any thread: the byte is here now, and so is what follows it.
  bool holds(LogPosition at) const;
  std::size_t slab_count() const;

 private:
  struct Slab {
    LogPosition begin;
    std::int64_t used_bytes = 0;  // the lane's; others go by published positions
    AlignedBuffer memory;
    mutable std::atomic<std::int32_t> pins{0};

    LogPosition capacity_end() const { return LogPosition{begin.value + static_cast<std::int64_t>(memory.size())}; }
  };

  Result<std::unique_ptr<Slab>> take_slab(LogPosition written);
  void link(LogPosition begin);
  Slab* holder(LogPosition at) const;
  std::int64_t spare_bytes() const { return static_cast<std::int64_t>(spare_.size()) * options_.slab_bytes; }

  const LogGeometry geometry_;
  const Options options_;

  // The lane's.
  LogPosition end_;
  Slab* current_ = nullptr;
  std::vector<std::unique_ptr<Slab>> spare_;  // room that was made

  mutable std::mutex mutex_;
  // Under the mutex: rising positions.
  std::deque<std::unique_ptr<Slab>> chain_;
};

}  // namespace braid::storage
