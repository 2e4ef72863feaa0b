#include "storage/bench/raw_disk.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "protocol/base/check.h"
#include "storage/bench/machine.h"
#include "storage/doorbell.h"

namespace braid::storage {
namespace {

constexpr std::string_view kName = "raw";
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::size_t kBufferBytes = std::size_t{8} << 20;

double rate(std::uint64_t bytes, double seconds) {
  return static_cast<double>(bytes) / static_cast<double>(kMiB) / seconds;
}

template <class T>
T must(Result<T> result) {
  protocol::check(result.has_value(), "the disk does what the floor asks");
  return *std::move(result);
}

void must(const Result<void>& result) { protocol::check(result.has_value(), "the disk does what the floor asks"); }

}  // namespace

RawDisk::RawDisk(FileSystem& files, std::uint64_t bytes)
    : files_(files), bytes_(bytes), buffer_(must(AlignedBuffer::allocate(kBufferBytes))) {
  direct_ = must(files.open(kName, {.mode = OpenMode::kCreate, .direct = true}));
  std::ranges::fill(buffer_.bytes(), std::byte{0x5A});
  for (std::uint64_t at = 0; at < bytes; at += kMiB) must(direct_->write(at, buffer_.bytes().first(kMiB)));
  must(direct_->sync());
  buffered_ = must(files.open(kName, {.mode = OpenMode::kWrite}));
}

RawDisk::~RawDisk() {
  static_cast<void>(files_.remove_file(kName));  // what stays behind goes with the directory
}

double RawDisk::write_direct(std::uint64_t group_bytes, bool syncs, std::uint64_t total_bytes) {
  const std::uint64_t group = std::min<std::uint64_t>((group_bytes + 4095) / 4096 * 4096, buffer_.size());
  const double begin = seconds_now();
  std::uint64_t done = 0;
  for (; done < total_bytes; done += group) {
    write_group(group, syncs);
  }
  return rate(done, seconds_now() - begin);
}

void RawDisk::write_group(std::uint64_t group, bool syncs) {
  if (at_ + group > bytes_) at_ = 0;
  must(direct_->write(at_, buffer_.bytes().first(group)));
  if (syncs) must(direct_->sync());
  at_ += group;
}

double RawDisk::write_handed_over(std::uint64_t group_bytes, bool syncs, std::uint64_t total_bytes) {
  const std::uint64_t group = std::min<std::uint64_t>((group_bytes + 4095) / 4096 * 4096, buffer_.size());
  const protocol::Bytes source(group, std::byte{0x5A});
  const std::uint64_t groups = total_bytes / group + 1;
  Doorbell here;
  Doorbell there;
  std::atomic<std::uint64_t> filled{0};
  std::atomic<std::uint64_t> written{0};
  const double begin = seconds_now();
  std::thread writer([&] {
    while (written.load() < groups) {
      there.look();
      if (filled.load() > written.load()) {
        write_group(group, syncs);
        written.fetch_add(1);
        here.ring();
      } else {
        there.sleep(std::nullopt);
      }
    }
  });
  while (written.load() < groups) {
    here.look();
    if (filled.load() == written.load() && filled.load() < groups) {
      std::ranges::copy(source, buffer_.bytes().begin());
      filled.fetch_add(1);
      there.ring();
    } else if (written.load() < groups) {
      here.sleep(std::nullopt);
    }
  }
  writer.join();
  return rate(groups * group, seconds_now() - begin);
}

double RawDisk::write_buffered(std::uint64_t group_bytes, std::uint64_t total_bytes) {
  const double begin = seconds_now();
  std::uint64_t done = 0;
  std::uint64_t at = 0;
  for (; done < total_bytes; done += group_bytes, at += group_bytes) {
    if (at + group_bytes > bytes_) at = 0;
    must(buffered_->write(at, ByteView(buffer_.bytes()).first(group_bytes)));
  }
  const double seconds = seconds_now() - begin;
  must(buffered_->sync());
  return rate(done, seconds);
}

double RawDisk::sync_seconds(int times) {
  double spent = 0;
  for (int i = 0; i < times; ++i) {
    must(direct_->write(static_cast<std::uint64_t>(i) * 4096, buffer_.bytes().first(4096)));
    const double begin = seconds_now();
    must(direct_->sync());
    spent += seconds_now() - begin;
  }
  return spent / times;
}

double RawDisk::read_through(std::uint64_t piece_bytes) {
  const double begin = seconds_now();
  for (std::uint64_t at = 0; at + piece_bytes <= bytes_; at += piece_bytes)
    must(buffered_->read(at, buffer_.bytes().first(piece_bytes)));
  return rate(bytes_, seconds_now() - begin);
}

}  // namespace braid::storage
