// The implementations that the contract suite runs on.
#include <memory>
#include <vector>

#include "storage/memory_store.h"
#include "storage/store_subject.h"

namespace braid::storage {

std::vector<StoreKind> store_kinds();

namespace {

class MemorySubject final : public StoreSubject {
 public:
  LogStore& store() override { return store_; }
  bool reopen() override { return false; }

 private:
  MemoryStore store_;
};

}  // namespace

std::vector<StoreKind> store_kinds() {
  return {{"memory", [] { return std::make_unique<MemorySubject>(); }}};
}

}  // namespace braid::storage
