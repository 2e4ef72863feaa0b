#pragma once

#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

/// The seam below everything that storage does to a disk. Two implementations: PosixFileSystem, and MemoryFileSystem,
/// which forgets, tears and fails on purpose. Both pass file_system_contract_test.
namespace braid::storage {

using protocol::ByteView;
using protocol::MutableBytes;
using protocol::Result;

/// An errno as an error, in boost's system category: compare it with boost::system::errc values (no_space_on_device is
/// the one that storage tells from the rest).
boost::system::error_code file_error(int error_number);

enum class OpenMode {
  kRead,       // must exist; writes fail with EBADF
  kWrite,      // read and write; must exist
  kCreate,     // read and write; made empty when missing
  kCreateNew,  // read and write; EEXIST when it exists
};

struct OpenOptions {
  OpenMode mode = OpenMode::kRead;
  bool direct = false;     // past the page cache where the file system allows it: File::direct() says whether
  bool read_ahead = true;  // false: the kernel reads only what is asked for, as behind a file that is being written
};

/// What will be done with a range soon. Only a hint.
enum class Advice {
  kWillNeed,  // start reading it in the background
  kDontNeed,  // a cold scan is through with it: leave the page cache to others
};

/// One open file; closing it syncs nothing. Any thread, also several at once; calls block on the disk, so never on a
/// loop. A write that overlaps another in time leaves either's bytes in the overlap.
///
/// After a failed sync() or an error of write() other than "disk full" nothing is known about what the file holds since
/// the last good sync(): a second sync() may claim success for bytes that are lost. The caller stops.
class File {
 public:
  virtual ~File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads until `into` is full or the file ends; returns the bytes read. On a direct file `at`, address and size of
  /// `into` are multiples of kDirectAlignmentBytes (checked); the file's end need not be.
  Result<std::size_t> read(std::uint64_t at, MutableBytes into);

  /// Writes all of it, growing the file where needed, however many calls that takes. On an error any part may have
  /// been written. Alignment as for read(), piece by piece. Nothing is durable before sync().
  Result<void> write(std::uint64_t at, ByteView bytes);
  Result<void> write(std::uint64_t at, std::span<const ByteView> pieces);

  /// Bytes and size of the file are durable when it returns; its name is not (FileSystem::sync_directory).
  virtual Result<void> sync() = 0;
  /// Cuts the file, or grows it by a hole that reads as zeros.
  virtual Result<void> truncate(std::uint64_t size_bytes) = 0;
  /// Takes space for [at, at + bytes) and grows the file to its end; new bytes read as zeros. EOPNOTSUPP where the file
  /// system can't.
  virtual Result<void> allocate(std::uint64_t at, std::uint64_t bytes) = 0;
  virtual Result<std::uint64_t> size() = 0;
  virtual void advise(std::uint64_t at, std::uint64_t bytes, Advice advice) = 0;

  /// Direct I/O was asked for and given, so alignment is due.
  bool direct() const { return direct_; }

 protected:
  explicit File(bool direct) : direct_(direct) {}

  /// One system call each: may do less than asked, or be interrupted (EINTR). 0 read bytes: the end.
  virtual Result<std::size_t> read_some(std::uint64_t at, MutableBytes into) = 0;
  virtual Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) = 0;

 private:
  const bool direct_;
};

/// Held until it is destroyed or the process ends, whatever way it ends.
class FileLock {
 public:
  FileLock() = default;
  virtual ~FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
};

enum class FileKind { kFile, kDirectory, kOther };

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::kFile;
  bool operator==(const DirectoryEntry&) const = default;
};

struct DiskSpace {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;  // to this process: without what is kept for root
};

/// A directory tree. Paths are relative to its root (file_path.h), "" is the root where a directory is meant; any other
/// form is EINVAL. Symbolic links are not followed at a path's last name. Any thread, also several at once; calls block
/// on the disk. Files and locks may outlive it.
class FileSystem {
 public:
  FileSystem() = default;
  virtual ~FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// EISDIR for a directory, EINVAL for what is neither that nor a file.
  virtual Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) = 0;
  /// Atomic; takes the place of a file, or of an empty directory, at `to`. Durable after sync_directory of both
  /// parents.
  virtual Result<void> rename(std::string_view from, std::string_view to) = 0;
  /// The bytes stay until the last open File is closed.
  virtual Result<void> remove_file(std::string_view path) = 0;
  virtual Result<void> make_directory(std::string_view path) = 0;
  /// ENOTEMPTY when it is not empty.
  virtual Result<void> remove_directory(std::string_view path) = 0;
  /// Without "." and "..", sorted by name.
  virtual Result<std::vector<DirectoryEntry>> list(std::string_view directory) = 0;
  /// Every name made, renamed or removed in this directory is durable when it returns; the directory's own name, and
  /// what its files hold, are not.
  virtual Result<void> sync_directory(std::string_view directory) = 0;
  /// Everything, of every file and directory, is durable when it returns. Of the whole mounted file system.
  virtual Result<void> sync_all() = 0;
  /// Makes the file when missing. EAGAIN while another holder, in this process or not, has it.
  virtual Result<std::unique_ptr<FileLock>> lock(std::string_view path) = 0;
  virtual Result<DiskSpace> space() = 0;
};

}  // namespace braid::storage
