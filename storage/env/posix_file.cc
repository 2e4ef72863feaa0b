#include "storage/env/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "protocol/base/check.h"

namespace braid::storage {
namespace {

Result<void> outcome(int result) {
  if (result < 0) return file_error(errno);
  return protocol::ok();
}

Result<std::size_t> count(ssize_t result) {
  if (result < 0) return file_error(errno);
  return static_cast<std::size_t>(result);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::close() {
  // What must last was synced before; an error here can only speak of bytes that nobody was promised.
  if (number_ >= 0) static_cast<void>(::close(number_));
}

PosixFile::PosixFile(Descriptor descriptor, bool direct) : File(direct), descriptor_(std::move(descriptor)) {}

Result<std::size_t> PosixFile::read_some(std::uint64_t at, MutableBytes into) {
  return count(::pread(descriptor_.number(), into.data(), into.size(), static_cast<off_t>(at)));
}

Result<std::size_t> PosixFile::write_some(std::uint64_t at, std::span<const ByteView> pieces) {
  std::array<iovec, protocol::kGatherPiecesMax> vectors;
  protocol::check(pieces.size() <= vectors.size(), "a write gathers at most kGatherPiecesMax pieces");
  for (std::size_t i = 0; i < pieces.size(); ++i)
    vectors[i] = {const_cast<std::byte*>(pieces[i].data()), pieces[i].size()};  // iovec serves reads too
  return count(
      ::pwritev(descriptor_.number(), vectors.data(), static_cast<int>(pieces.size()), static_cast<off_t>(at)));
}

// Not tried again when interrupted: a second sync proves nothing about the bytes of the first.
Result<void> PosixFile::sync() { return outcome(::fdatasync(descriptor_.number())); }

Result<void> PosixFile::truncate(std::uint64_t size_bytes) {
  return outcome(uninterrupted([&] { return ::ftruncate(descriptor_.number(), static_cast<off_t>(size_bytes)); }));
}

Result<void> PosixFile::allocate(std::uint64_t at, std::uint64_t bytes) {
  return outcome(uninterrupted(
      [&] { return ::fallocate(descriptor_.number(), 0, static_cast<off_t>(at), static_cast<off_t>(bytes)); }));
}

Result<std::uint64_t> PosixFile::size() {
  struct stat status{};
  if (::fstat(descriptor_.number(), &status) < 0) return file_error(errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void PosixFile::advise(std::uint64_t at, std::uint64_t bytes, Advice advice) {
  const int wish = advice == Advice::kWillNeed ? POSIX_FADV_WILLNEED : POSIX_FADV_DONTNEED;
  // A hint that is refused changes nothing that anybody may rely on.
  static_cast<void>(::posix_fadvise(descriptor_.number(), static_cast<off_t>(at), static_cast<off_t>(bytes), wish));
}

}  // namespace braid::storage
