// The implementations that the contract suite runs on.
#include <memory>
#include <vector>

#include "protocol/base/check.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/memory_store.h"
#include "storage/small_store.h"
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

/// A CommitLogStore over a file system in memory, with everything small so that files roll and queues are written out.
class CommitLogSubject final : public StoreSubject {
 public:
  CommitLogSubject() { open(); }
  LogStore& store() override { return *store_; }
  bool reopen() override {
    protocol::check(store_->close().has_value(), "closing works");
    open();
    return true;
  }

 private:
  void open() {
    store_.reset();
    auto opened = CommitLogStore::open(files_, small_store_options(), {});
    protocol::check(opened.has_value(), "opening works");
    store_ = *std::move(opened);
    protocol::check(store_->report().findings.empty(), "nothing is found after a clean stop");
  }

  MemoryFileSystem files_;
  std::unique_ptr<CommitLogStore> store_;
};

}  // namespace

std::vector<StoreKind> store_kinds() {
  return {{"memory", [] { return std::make_unique<MemorySubject>(); }},
          {"commitlog", [] { return std::make_unique<CommitLogSubject>(); }}};
}

}  // namespace braid::storage
