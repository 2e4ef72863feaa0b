#pragma once

#include <functional>
#include <memory>
#include <string>

#include "storage/log_store.h"

namespace braid::storage {

/// An implementation under the contract suite, and what a test needs besides LogStore.
class StoreSubject {
 public:
  virtual ~StoreSubject() = default;
  virtual LogStore& store() = 0;
  /// Stops cleanly and opens again; false when the implementation keeps nothing.
  virtual bool reopen() = 0;
  /// Writes, syncs and does chores until there is nothing to do.
  void settle();
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreSubject>()> make;
};

}  // namespace braid::storage
