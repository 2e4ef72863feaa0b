#include "storage/env/fault_plan.h"

namespace braid::storage {
namespace {

bool can_strike(const Fault& fault, Operation operation, std::string_view path) {
  if (fault.operation && *fault.operation != operation) return false;
  if (fault.effect == Fault::Effect::kShort && operation != Operation::kWrite && operation != Operation::kRead)
    return false;
  return path.starts_with(fault.path_prefix);
}

}  // namespace

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::kOpen:
      return "open";
    case Operation::kRead:
      return "read";
    case Operation::kWrite:
      return "write";
    case Operation::kSync:
      return "sync";
    case Operation::kTruncate:
      return "truncate";
    case Operation::kAllocate:
      return "allocate";
    case Operation::kSize:
      return "size";
    case Operation::kRename:
      return "rename";
    case Operation::kRemoveFile:
      return "remove_file";
    case Operation::kMakeDirectory:
      return "make_directory";
    case Operation::kRemoveDirectory:
      return "remove_directory";
    case Operation::kList:
      return "list";
    case Operation::kSyncDirectory:
      return "sync_directory";
    case Operation::kSyncAll:
      return "sync_all";
    case Operation::kLock:
      return "lock";
    case Operation::kSpace:
      return "space";
  }
  return "unknown";
}

const Fault* FaultPlan::strike(Operation operation, std::string_view path) {
  const Fault* struck = nullptr;
  for (Pending& pending : pending_) {
    if (!can_strike(pending.fault, operation, path)) continue;
    ++pending.matched;
    const bool strikes =
        pending.fault.for_ever ? pending.matched >= pending.fault.nth : pending.matched == pending.fault.nth;
    if (strikes && struck == nullptr) struck = &pending.fault;
  }
  return struck;
}

}  // namespace braid::storage
