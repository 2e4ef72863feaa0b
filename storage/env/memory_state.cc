#include "storage/env/memory_state.h"

#include <cerrno>

namespace braid::storage {

CallInProgress::CallInProgress(MemoryState& state, const MemoryCall& call) {
  if (state.observer) state.observer(call);
  lock_ = std::unique_lock(state.mutex);

  ++state.calls[static_cast<std::size_t>(call.operation)];
  if (call.changes_disk) {
    ++state.changes;
    if (state.changes_left == 0)
      state.has_power = false;
    else
      --state.changes_left;
  }
  if (!state.has_power) {
    failure_ = file_error(ENODEV);
    return;
  }
  const Fault* const fault = state.faults.strike(call.operation, call.path);
  if (fault == nullptr) return;
  switch (fault->effect) {
    case Fault::Effect::kError:
      failure_ = file_error(fault->error);
      struck_ = true;
      return;
    case Fault::Effect::kShort:
      short_ = true;
      return;
  }
}

}  // namespace braid::storage
