#include "storage/bench/counting_file_system.h"

#include <pthread.h>

#include <array>
#include <string_view>
#include <utility>

namespace braid::storage {
namespace {

bool this_is_the_writer() {
  thread_local const bool answer = [] {
    std::array<char, 16> name{};
    return ::pthread_getname_np(::pthread_self(), name.data(), name.size()) == 0 &&
           std::string_view(name.data()) == "braid-writer";
  }();
  return answer;
}

class CountingFile final : public PassingFile {
 public:
  CountingFile(std::unique_ptr<File> below, bool is_log, std::shared_ptr<FileCounts> counts)
      : PassingFile(std::move(below)), is_log_(is_log), counts_(std::move(counts)) {}

  Result<void> sync() override {
    counts_->calls.fetch_add(1, std::memory_order_relaxed);
    return PassingFile::sync();
  }

 private:
  Result<std::size_t> read_some(std::uint64_t at, MutableBytes into) override {
    counts_->calls.fetch_add(1, std::memory_order_relaxed);
    const auto read = PassingFile::read_some(at, into);
    if (read.has_value()) counts_->read_bytes.fetch_add(*read, std::memory_order_relaxed);
    return read;
  }
  Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) override {
    counts_->calls.fetch_add(1, std::memory_order_relaxed);
    auto& counter = !is_log_               ? counts_->other_bytes
                    : this_is_the_writer() ? counts_->writer_bytes
                                           : counts_->prepared_bytes;
    for (const ByteView piece : pieces) counter.fetch_add(piece.size(), std::memory_order_relaxed);
    return PassingFile::write_some(at, pieces);
  }

  const bool is_log_;
  const std::shared_ptr<FileCounts> counts_;
};

}  // namespace

Result<std::unique_ptr<File>> CountingFileSystem::open(std::string_view path, OpenOptions options) {
  TRY(std::unique_ptr<File> opened, PassingFileSystem::open(path, options));
  return std::unique_ptr<File>(
      std::make_unique<CountingFile>(std::move(opened), path.starts_with("commitlog/"), counts_));
}

}  // namespace braid::storage
