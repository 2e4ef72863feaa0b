#include "storage/commitlog/run_encoder.h"

#include <algorithm>
#include <array>

#include "protocol/base/check.h"
#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {

using protocol::check;

void RunEncoder::encode(protocol::MutableBytes out) {
  check(out.size() % kQueueUnitBytes == 0, "whole units are asked for");
  while (!out.empty()) {
    check(index_ < units_.runs.size(), "units are left");
    const QueueRun& run = units_.runs[index_];
    std::array<std::byte, kQueueUnitBytes> unit;
    storage::encode({.position = run.position.value, .size_bytes = run.size_bytes, .tag_hash = run.tag_hash}, unit);
    for (; next_ < end_of_run() && !out.empty(); ++next_.value) {
      std::ranges::copy(unit, out.begin());
      out = out.subspan(kQueueUnitBytes);
    }
    if (next_ == end_of_run()) ++index_;
  }
}

Offset RunEncoder::end_of_run() const {
  return index_ + 1 < units_.runs.size() ? units_.runs[index_ + 1].first : units_.end;
}

}  // namespace braid::storage
