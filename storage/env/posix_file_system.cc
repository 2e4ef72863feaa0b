#include "storage/env/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "protocol/base/result.h"
#include "storage/env/aligned_buffer.h"
#include "storage/env/file_path.h"
#include "storage/env/posix_file.h"

namespace braid::storage {
namespace {

constexpr mode_t kFileMode = 0640;
constexpr mode_t kDirectoryMode = 0750;

Result<void> outcome(int result) {
  if (result < 0) return file_error(errno);
  return protocol::ok();
}

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY;
    case OpenMode::kWrite:
      return O_RDWR;
    case OpenMode::kCreate:
      return O_RDWR | O_CREAT;
    case OpenMode::kCreateNew:
      return O_RDWR | O_CREAT | O_EXCL;
  }
  return O_RDONLY;
}

/// The file system says that it does direct I/O in blocks of at most kDirectAlignmentBytes, or says nothing.
bool takes_our_alignment(int descriptor) {
#ifdef STATX_DIOALIGN
  struct statx status{};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) < 0) return true;
  if ((status.stx_mask & STATX_DIOALIGN) == 0) return true;
  const auto fits = [](std::uint32_t alignment) { return alignment > 0 && kDirectAlignmentBytes % alignment == 0; };
  return fits(status.stx_dio_offset_align) && fits(status.stx_dio_mem_align);
#else
  static_cast<void>(descriptor);
  return true;
#endif
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  return FileKind::kOther;
}

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  const Descriptor descriptor_;  // closing it is what unlocks
};

struct CloseDirectory {
  void operator()(DIR* directory) const { static_cast<void>(::closedir(directory)); }  // only read: nothing to lose
};

class PosixFileSystem final : public FileSystem {
 public:
  explicit PosixFileSystem(Descriptor root) : root_(std::move(root)) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override;
  Result<void> rename(std::string_view from, std::string_view to) override;
  Result<void> remove_file(std::string_view path) override;
  Result<void> make_directory(std::string_view path) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<std::vector<DirectoryEntry>> list(std::string_view directory) override;
  Result<void> sync_directory(std::string_view directory) override;
  Result<void> sync_all() override;
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override;
  Result<DiskSpace> space() override;

 private:
  /// A plain file, never a directory, a pipe or a device.
  Result<Descriptor> open_file(std::string_view path, int flags);
  Result<Descriptor> open_directory(std::string_view directory);

  const Descriptor root_;
};

Result<Descriptor> PosixFileSystem::open_file(std::string_view path, int flags) {
  if (!is_file_path(path)) return file_error(EINVAL);
  // O_NONBLOCK: a pipe in a damaged directory must not hold up the start; it does nothing to files.
  const std::string name(path);
  Descriptor descriptor(uninterrupted(
      [&] { return ::openat(root_.number(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kFileMode); }));
  if (descriptor.number() < 0) return file_error(errno);
  struct stat status{};
  if (::fstat(descriptor.number(), &status) < 0) return file_error(errno);
  if (S_ISDIR(status.st_mode)) return file_error(EISDIR);
  if (!S_ISREG(status.st_mode)) return file_error(EINVAL);
  return descriptor;
}

Result<Descriptor> PosixFileSystem::open_directory(std::string_view directory) {
  if (!is_directory_path(directory)) return file_error(EINVAL);
  const std::string name(directory.empty() ? "." : directory);
  Descriptor descriptor(uninterrupted(
      [&] { return ::openat(root_.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }));
  if (descriptor.number() < 0) return file_error(errno);
  return descriptor;
}

Result<std::unique_ptr<File>> PosixFileSystem::open(std::string_view path, OpenOptions options) {
  const int flags = open_flags(options.mode);
  Result<Descriptor> descriptor = open_file(path, options.direct ? flags | O_DIRECT : flags);
  bool direct = options.direct && descriptor.has_value() && takes_our_alignment(descriptor->number());
  if (options.direct && !direct) {
    // EINVAL is how a file system refuses direct I/O, by then it may have made the file. Other errors come again.
    const bool made = descriptor.has_value() || descriptor.error() == file_error(EINVAL);
    descriptor = open_file(path, made ? flags & ~O_EXCL : flags);
  }
  if (descriptor.has_error()) return descriptor.error();
  if (!options.read_ahead)  // a hint, as in PosixFile::advise
    static_cast<void>(::posix_fadvise(descriptor->number(), 0, 0, POSIX_FADV_RANDOM));
  return std::make_unique<PosixFile>(*std::move(descriptor), direct);
}

Result<void> PosixFileSystem::rename(std::string_view from, std::string_view to) {
  if (!is_file_path(from) || !is_file_path(to)) return file_error(EINVAL);
  return outcome(::renameat(root_.number(), std::string(from).c_str(), root_.number(), std::string(to).c_str()));
}

Result<void> PosixFileSystem::remove_file(std::string_view path) {
  if (!is_file_path(path)) return file_error(EINVAL);
  return outcome(::unlinkat(root_.number(), std::string(path).c_str(), 0));
}

Result<void> PosixFileSystem::make_directory(std::string_view path) {
  if (!is_file_path(path)) return file_error(EINVAL);
  return outcome(::mkdirat(root_.number(), std::string(path).c_str(), kDirectoryMode));
}

Result<void> PosixFileSystem::remove_directory(std::string_view path) {
  if (!is_file_path(path)) return file_error(EINVAL);
  return outcome(::unlinkat(root_.number(), std::string(path).c_str(), AT_REMOVEDIR));
}

Result<std::vector<DirectoryEntry>> PosixFileSystem::list(std::string_view directory) {
  TRY(Descriptor descriptor, open_directory(directory));
  const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(descriptor.number()));
  if (stream == nullptr) return file_error(errno);
  const int number = descriptor.release();
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = static_cast<const char*>(entry->d_name);
    if (name == "." || name == "..") continue;
    struct stat status{};
    if (::fstatat(number, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
      if (errno == ENOENT) continue;  // removed since it was read
      return file_error(errno);
    }
    entries.push_back({std::string(name), kind_of(status.st_mode)});
  }
  if (errno != 0) return file_error(errno);
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

Result<void> PosixFileSystem::sync_directory(std::string_view directory) {
  TRY(const Descriptor descriptor, open_directory(directory));
  return outcome(::fsync(descriptor.number()));
}

Result<void> PosixFileSystem::sync_all() { return outcome(::syncfs(root_.number())); }

Result<std::unique_ptr<FileLock>> PosixFileSystem::lock(std::string_view path) {
  TRY(Descriptor descriptor, open_file(path, O_RDWR | O_CREAT));
  if (uninterrupted([&] { return ::flock(descriptor.number(), LOCK_EX | LOCK_NB); }) < 0) return file_error(errno);
  return std::make_unique<PosixLock>(std::move(descriptor));
}

Result<DiskSpace> PosixFileSystem::space() {
  struct statvfs status{};
  if (uninterrupted([&] { return ::fstatvfs(root_.number(), &status); }) < 0) return file_error(errno);
  const std::uint64_t block_bytes = status.f_frsize;
  return DiskSpace{status.f_blocks * block_bytes, status.f_bavail * block_bytes};
}

}  // namespace

Result<std::unique_ptr<FileSystem>> open_posix_file_system(const std::string& root) {
  Descriptor descriptor(uninterrupted([&] { return ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (descriptor.number() < 0) return file_error(errno);
  return std::make_unique<PosixFileSystem>(std::move(descriptor));
}

}  // namespace braid::storage
