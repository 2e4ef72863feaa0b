#pragma once

#include <cstdint>
#include <mutex>

#include "protocol/base/result.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/log_store.h"
#include "storage/reservation.h"
#include "storage/types.h"

namespace braid::storage {

/// The account of what may be appended: space in the tail, and in blocks that exist on the disk. What it grants can be
/// appended without waiting and without failing, in any order and whatever file ends come in between.
///
/// Any thread; a mutex guards a handful of numbers.
class LogRoom final : public Room {
 public:
  struct Options {
    LogGeometry geometry;
    std::int64_t tail_bytes = 0;       // commitlog.tail.bytes
    std::int64_t essential_bytes = 0;  // of the prepared blocks: kept back for Purpose::kEssential
  };
  LogRoom(Options options, LogPosition end) : options_(options), end_(end), written_(end), prepared_(end) {}

  /// not_yet; disk_full when the last attempt to prepare blocks found none; too_large.
  Result<Reservation> reserve(std::int64_t bytes, Purpose purpose);

  void spent(std::size_t bytes) override;
  void returned(std::size_t bytes) override { spent(bytes); }

  /// How far the writer is; only grows.
  void written(LogPosition end);
  /// Lane.
  void appended(LogPosition end);
  /// Blocks exist up to here; a file's end means that the next file has none.
  void prepared(LogPosition end);
  void disk_full(bool full);
  LogPosition prepared() const;
  /// Bytes that should be prepared beyond the end so that what was refused fits.
  std::int64_t wanted_bytes() const;

 private:
  bool blocks_suffice(std::int64_t bytes) const;

  const Options options_;
  mutable std::mutex mutex_;
  // Under the mutex.
  LogPosition end_;
  LogPosition written_;
  LogPosition prepared_;
  std::int64_t reserved_bytes_ = 0;
  std::int64_t refused_bytes_ = 0;
  bool disk_full_ = false;
};

}  // namespace braid::storage
