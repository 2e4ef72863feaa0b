// What only the machine's own file system can show.
#include "storage/env/posix_file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/system/errc.hpp>
#include <csignal>
#include <cstdlib>
#include <string>

#include "storage/env/file_text.h"
#include "storage/env/temporary_directory.h"

namespace braid::storage {
namespace {

namespace errc = boost::system::errc;
using protocol::as_bytes;

TEST(PosixFileSystem, NeedsADirectoryThatExists) {
  const TemporaryDirectory directory;
  EXPECT_EQ(open_posix_file_system(directory.path() + "/none").error(), errc::no_such_file_or_directory);
  const auto files = *open_posix_file_system(directory.path());
  put_text(*files, "f", 0, "x");
  EXPECT_EQ(open_posix_file_system(directory.path() + "/f").error(), errc::not_a_directory);
}

TEST(PosixFileSystem, StaysWithADirectoryThatIsRenamed) {
  const TemporaryDirectory directory;
  const std::string first = directory.path() + "/first";
  const std::string second = directory.path() + "/second";
  ASSERT_EQ(::mkdir(first.c_str(), 0700), 0);
  const auto files = *open_posix_file_system(first);
  ASSERT_EQ(::rename(first.c_str(), second.c_str()), 0);
  put_text(*files, "f", 0, "x");
  EXPECT_EQ(text_of(**open_posix_file_system(second), "f"), "x");
}

TEST(PosixFileSystem, FollowsNoLinksAndWaitsForNoPipes) {
  const TemporaryDirectory directory;
  const auto files = *open_posix_file_system(directory.path());
  put_text(*files, "f", 0, "x");
  ASSERT_EQ(::symlink("f", (directory.path() + "/link").c_str()), 0);
  ASSERT_EQ(::symlink(".", (directory.path() + "/here").c_str()), 0);
  ASSERT_EQ(::mkfifo((directory.path() + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(files->open("link", {}).error(), errc::too_many_symbolic_link_levels);
  EXPECT_EQ(files->open("pipe", {}).error(), errc::invalid_argument);
  EXPECT_EQ(files->open("pipe", {.mode = OpenMode::kWrite, .direct = true}).error(), errc::invalid_argument);
  EXPECT_TRUE(files->list("here").has_error());
  EXPECT_EQ(
      *files->list(""),
      (std::vector<DirectoryEntry>{
          {"f", FileKind::kFile}, {"here", FileKind::kOther}, {"link", FileKind::kOther}, {"pipe", FileKind::kOther}}));
}

TEST(PosixFileSystem, MakesFilesThatOthersMayNotRead) {
  const TemporaryDirectory directory;
  const auto files = *open_posix_file_system(directory.path());
  put_text(*files, "f", 0, "x");
  expect_ok(files->make_directory("d"));
  struct stat status{};
  ASSERT_EQ(::stat((directory.path() + "/f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07U, 0U);
  ASSERT_EQ(::stat((directory.path() + "/d").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07U, 0U);
}

TEST(PosixFileSystem, FallsBackToBufferedWhereDirectIsRefused) {
  const auto files = open_posix_file_system("/proc/self");  // refuses O_DIRECT on every Linux
  if (files.has_error()) GTEST_SKIP() << "not run: no /proc";
  const auto file = opened(**files, "comm", {.direct = true});
  EXPECT_FALSE(file->direct());
  std::string name(100, '\0');
  EXPECT_GT(*file->read(0, std::as_writable_bytes(std::span(name))), 0U);
}

TEST(PosixFileSystem, SaysWhetherTheDiskGaveDirect) {
  const TemporaryDirectory directory;
  const auto files = *open_posix_file_system(directory.path());
  const auto file = opened(*files, "f", {.mode = OpenMode::kCreate, .direct = true});
  const int flags = ::open((directory.path() + "/f").c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  RecordProperty("direct", file->direct() ? "yes" : "no");
  if (flags < 0) {
    EXPECT_FALSE(file->direct());
    return;
  }
  EXPECT_EQ(::close(flags), 0);
  EXPECT_TRUE(file->direct());
}

TEST(PosixFileSystemDeathTest, ASecondProcessIsRefusedTheLock) {
  const TemporaryDirectory directory;
  const auto files = *open_posix_file_system(directory.path());
  auto lock = files->lock("lock");
  ASSERT_TRUE(lock.has_value());
  const auto try_in_child = [&] {
    const auto own = *open_posix_file_system(directory.path());
    const auto second = own->lock("lock");
    std::_Exit(second.has_value() ? 0 : second.error() == errc::resource_unavailable_try_again ? 11 : 1);
  };
  EXPECT_EXIT(try_in_child(), testing::ExitedWithCode(11), "");
  lock->reset();
  EXPECT_EXIT(try_in_child(), testing::ExitedWithCode(0), "");
}

TEST(PosixFileSystemDeathTest, AProcessThatEndsAnyhowGivesItsLockBack) {
  const TemporaryDirectory directory;
  const auto files = *open_posix_file_system(directory.path());
  const auto lock_and_die = [&] {
    const auto lock = files->lock("lock");
    ::raise(lock.has_value() ? SIGKILL : SIGTERM);
  };
  EXPECT_EXIT(lock_and_die(), testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(files->lock("lock").has_value());
}

TEST(PosixFileSystemDeathTest, AWriteThatTheKernelCutsShortIsContinuedToItsError) {
  const TemporaryDirectory directory;
  const auto files = *open_posix_file_system(directory.path());
  const auto write_past_the_limit = [&] {
    constexpr rlim_t kLimitBytes = 10'000;
    const rlimit limit{kLimitBytes, kLimitBytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0 || ::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) std::_Exit(2);
    const auto file = opened(*files, "f", {.mode = OpenMode::kCreate});
    const Result<void> written = file->write(0, as_bytes(std::string(20'000, 'x')));
    std::_Exit(written.has_error() && written.error() == errc::file_too_large && *file->size() == kLimitBytes ? 0 : 1);
  };
  EXPECT_EXIT(write_past_the_limit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace braid::storage
