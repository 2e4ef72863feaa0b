#pragma once

#include <cstddef>
#include <cstdint>

#include "broker/api/request.h"
#include "broker/partition/shard.h"
#include "broker/runtime/recycled_memory.h"

namespace braid::broker {

/// A finished answer to a Produce that is held back until the log is as durable as its partitions ask. The lane's.
class ProduceWait final : public AckWaiter, public Deadline {
 public:
  /// Completes the promise at once or later. `written`, `synced`: where the log must have come; 0: nothing to wait for.
  /// After `timeout_ms` the answer is REQUEST_TIMED_OUT, while the records stand; negative: never.
  static void start(Shard& shard, ReplyPromise promise, const ReplyHead& head, Reply reply,
                    storage::LogPosition written, storage::LogPosition synced, std::int32_t timeout_ms);

  // One comes and goes with each request.
  static void* operator new(std::size_t bytes) { return take_recycled(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { give_recycled(block, bytes); }

  void acknowledged(bool reached) override;
  void passed() override;

 private:
  ProduceWait(ReplyPromise promise, const ReplyHead& head, Reply reply)
      : promise_(std::move(promise)), head_(head), reply_(std::move(reply)) {}

  ReplyPromise promise_;
  const ReplyHead head_;
  Reply reply_;
  int left_ = 0;
  bool all_reached_ = true;
  bool answered_ = false;  // too late for what the log says
};

/// The same answer, with `error` for every partition that had none.
Reply with_error(const ReplyHead& head, const Reply& reply, protocol::ErrorCode error);

}  // namespace braid::broker
