#pragma once

#include <cstddef>

#include "protocol/base/bytes.h"
#include "storage/commitlog/consume_queue.h"

namespace braid::storage {

/// Turns runs into the units that stand in a file, one piece after the other. Borrows the runs; one thread.
class RunEncoder {
 public:
  explicit RunEncoder(const QueueWrite& units) : units_(units), next_(units.first) {}

  /// Fills `out`, whole units that are left: checked.
  void encode(protocol::MutableBytes out);

 private:
  Offset end_of_run() const;

  const QueueWrite& units_;
  Offset next_;            // the unit to come
  std::size_t index_ = 0;  // of its run
};

}  // namespace braid::storage
