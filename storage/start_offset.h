#pragma once

#include "storage/types.h"

namespace braid::storage {

/// A partition's log start as the lane decided it and as readers see it: a move shows only when the entry that says so
/// is synced, or a power cut could take back what a reader was told. A value; one thread.
class StartOffset {
 public:
  explicit StartOffset(Offset start = Offset{0}) : decided_(start), shown_(start) {}

  Offset decided() const { return decided_; }
  Offset shown(LogPosition synced) const { return synced >= shown_from_ ? decided_ : shown_; }

  /// `entry_end`: of the entry that says so.
  void move(Offset start, LogPosition entry_end, LogPosition synced) {
    shown_ = shown(synced);
    decided_ = start;
    shown_from_ = entry_end;
  }

 private:
  Offset decided_;
  Offset shown_;
  LogPosition shown_from_{0};
};

}  // namespace braid::storage
