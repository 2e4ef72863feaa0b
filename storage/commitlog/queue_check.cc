#include "storage/commitlog/queue_check.h"

#include <array>

namespace braid::storage {

bool stands(ConsumeQueueFiles& queues, const QueueInFiles& queue) {
  const PartitionIdentity& identity = *queue.identity;
  const auto owner = queues.topics().id_of(identity.name);
  if (owner.has_error() || *owner != identity.topic) return false;
  std::array<QueueUnit, 1> unit;
  for (const Offset at : {queue.begin, Offset{queue.end.value - 1}})
    if (queues.read({identity.topic, identity.name, identity.queue}, at, unit).has_error()) return false;
  return true;
}

}  // namespace braid::storage
