// What every FileSystem promises, asked of the machine's own (on the disk of the build folder and in shared memory) and
// of the one in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/env/aligned_buffer.h"
#include "storage/env/file_system.h"
#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/posix_file_system.h"
#include "storage/env/temporary_directory.h"

namespace braid::storage {
namespace {

namespace errc = boost::system::errc;
using protocol::as_bytes;

struct Subject {
  const char* name;
  const char* parent;  // of the directory that a real one gets; null: in memory
};

class FileSystemContract : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    const Subject& subject = GetParam();
    if (subject.parent == nullptr) {
      owned_ = std::make_unique<MemoryFileSystem>();
      return;
    }
    std::error_code error;
    if (!std::filesystem::is_directory(subject.parent, error)) GTEST_SKIP() << "not run: no " << subject.parent;
    directory_ = std::make_unique<TemporaryDirectory>(std::filesystem::absolute(subject.parent));
    owned_ = *open_posix_file_system(directory_->path());
  }

  FileSystem& files() { return *owned_; }
  void close_file_system() { owned_.reset(); }

 private:
  std::unique_ptr<TemporaryDirectory> directory_;
  std::unique_ptr<FileSystem> owned_;
};

TEST_P(FileSystemContract, WhatIsWrittenIsReadBack) {
  const auto file = opened(files(), "f", {.mode = OpenMode::kCreateNew});
  expect_ok(file->write(0, as_bytes("hello world")));
  expect_ok(file->write(6, as_bytes("there")));
  EXPECT_EQ(text_of(files(), "f"), "hello there");
  EXPECT_EQ(*file->size(), 11U);
  EXPECT_FALSE(file->direct());
  expect_ok(file->sync());
  file->advise(0, 11, Advice::kWillNeed);
  file->advise(0, 11, Advice::kDontNeed);
  EXPECT_EQ(text_of(files(), "f"), "hello there");
}

TEST_P(FileSystemContract, ReadsStopAtTheEnd) {
  put_text(files(), "f", 0, "abc");
  const auto file = opened(files(), "f", {.read_ahead = false});
  std::string into(10, '-');
  EXPECT_EQ(*file->read(1, std::as_writable_bytes(std::span(into))), 2U);
  EXPECT_EQ(into, "bc--------");
  EXPECT_EQ(*file->read(3, std::as_writable_bytes(std::span(into))), 0U);
  EXPECT_EQ(*file->read(100, std::as_writable_bytes(std::span(into))), 0U);
}

TEST_P(FileSystemContract, GatheredPiecesAreWrittenInOrder) {
  std::vector<std::string> texts;
  std::string all;
  for (int i = 0; i < 300; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26)));
  std::vector<ByteView> pieces;
  for (const std::string& text : texts) {
    pieces.push_back(as_bytes(text));
    all += text;
  }
  const auto file = opened(files(), "f", {.mode = OpenMode::kCreate});
  expect_ok(file->write(5, pieces));
  EXPECT_EQ(text_of(files(), "f"), std::string(5, '\0') + all);
  expect_ok(file->write(0, std::span<const ByteView>()));
  EXPECT_EQ(*file->size(), 5 + all.size());
}

TEST_P(FileSystemContract, HolesReadAsZeros) {
  put_text(files(), "f", 10'000, "x");
  EXPECT_EQ(text_of(files(), "f"), std::string(10'000, '\0') + "x");
}

TEST_P(FileSystemContract, TruncateCutsAndGrowsByZeros) {
  put_text(files(), "f", 0, "abcdef");
  const auto file = opened(files(), "f", {.mode = OpenMode::kWrite});
  expect_ok(file->truncate(3));
  EXPECT_EQ(text_of(files(), "f"), "abc");
  expect_ok(file->truncate(6));
  EXPECT_EQ(text_of(files(), "f"), std::string("abc\0\0\0", 6));
}

TEST_P(FileSystemContract, AllocateGrowsByZerosAndLeavesWhatWasThere) {
  put_text(files(), "f", 0, "abc");
  const auto file = opened(files(), "f", {.mode = OpenMode::kWrite});
  expect_ok(file->allocate(0, 5000));
  EXPECT_EQ(text_of(files(), "f"), "abc" + std::string(4997, '\0'));
  expect_ok(file->allocate(0, 10));
  EXPECT_EQ(*file->size(), 5000U);
  EXPECT_EQ(file->allocate(0, 0).error(), errc::invalid_argument);
}

TEST_P(FileSystemContract, OpenModesDecideOverMissingAndExistingFiles) {
  EXPECT_EQ(files().open("f", {.mode = OpenMode::kRead}).error(), errc::no_such_file_or_directory);
  EXPECT_EQ(files().open("f", {.mode = OpenMode::kWrite}).error(), errc::no_such_file_or_directory);
  EXPECT_TRUE(files().open("f", {.mode = OpenMode::kCreate}).has_value());
  put_text(files(), "f", 0, "kept");
  EXPECT_TRUE(files().open("f", {.mode = OpenMode::kCreate}).has_value());
  EXPECT_EQ(text_of(files(), "f"), "kept");
  EXPECT_EQ(files().open("f", {.mode = OpenMode::kCreateNew}).error(), errc::file_exists);
  EXPECT_EQ(files().open("f", {.mode = OpenMode::kCreateNew, .direct = true}).error(), errc::file_exists);
}

TEST_P(FileSystemContract, FilesOpenedForReadingRefuseChanges) {
  put_text(files(), "f", 0, "abc");
  const auto file = opened(files(), "f", {});
  EXPECT_EQ(file->write(0, as_bytes("x")).error(), errc::bad_file_descriptor);
  EXPECT_TRUE(file->truncate(0).has_error());
  EXPECT_TRUE(file->allocate(0, 10).has_error());
  expect_ok(file->sync());
  EXPECT_EQ(text_of(files(), "f"), "abc");
}

TEST_P(FileSystemContract, DirectoriesAreNoFilesAndFilesNoDirectories) {
  expect_ok(files().make_directory("d"));
  put_text(files(), "f", 0, "x");
  EXPECT_EQ(files().open("d", {}).error(), errc::is_a_directory);
  EXPECT_EQ(files().open("d", {.mode = OpenMode::kCreate}).error(), errc::is_a_directory);
  EXPECT_EQ(files().open("f/g", {.mode = OpenMode::kCreate}).error(), errc::not_a_directory);
  EXPECT_EQ(files().list("f").error(), errc::not_a_directory);
  EXPECT_EQ(files().list("none").error(), errc::no_such_file_or_directory);
  EXPECT_EQ(files().sync_directory("f").error(), errc::not_a_directory);
  EXPECT_EQ(files().sync_directory("none").error(), errc::no_such_file_or_directory);
  EXPECT_EQ(files().remove_file("d").error(), errc::is_a_directory);
  EXPECT_EQ(files().remove_directory("f").error(), errc::not_a_directory);
  EXPECT_EQ(files().make_directory("f").error(), errc::file_exists);
  EXPECT_EQ(files().make_directory("none/d").error(), errc::no_such_file_or_directory);
}

TEST_P(FileSystemContract, PathsStayBelowTheRoot) {
  for (const std::string_view path : {"", "/f", "../f", "d/../f", "./f", "f/"}) {
    EXPECT_EQ(files().open(path, {.mode = OpenMode::kCreate}).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().open(path, {.mode = OpenMode::kCreate, .direct = true}).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().rename(path, "g").error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().rename("g", path).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().remove_file(path).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().make_directory(path).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().remove_directory(path).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().lock(path).error(), errc::invalid_argument) << path;
    if (path.empty()) continue;
    EXPECT_EQ(files().list(path).error(), errc::invalid_argument) << path;
    EXPECT_EQ(files().sync_directory(path).error(), errc::invalid_argument) << path;
  }
  EXPECT_TRUE(names_in(files(), "").empty());
}

TEST_P(FileSystemContract, ListNamesKindsInOrder) {
  put_text(files(), "b", 0, "x");
  expect_ok(files().make_directory("a"));
  put_text(files(), "a/inner", 0, "x");
  put_text(files(), "c", 0, "x");
  EXPECT_EQ(*files().list(""),
            (std::vector<DirectoryEntry>{{"a", FileKind::kDirectory}, {"b", FileKind::kFile}, {"c", FileKind::kFile}}));
  EXPECT_EQ(*files().list("a"), (std::vector<DirectoryEntry>{{"inner", FileKind::kFile}}));
}

TEST_P(FileSystemContract, RenameTakesThePlaceOfAFile) {
  expect_ok(files().make_directory("d"));
  put_text(files(), "new", 0, "new");
  put_text(files(), "d/old", 0, "old");
  const auto still_open = opened(files(), "d/old", {});
  expect_ok(files().rename("new", "d/old"));
  EXPECT_EQ(text_of(files(), "d/old"), "new");
  EXPECT_EQ(names_in(files(), ""), std::vector<std::string>{"d"});
  std::string into(3, '-');
  EXPECT_EQ(*still_open->read(0, std::as_writable_bytes(std::span(into))), 3U);
  EXPECT_EQ(into, "old");
  EXPECT_EQ(files().rename("none", "x").error(), errc::no_such_file_or_directory);
  expect_ok(files().rename("d/old", "d/old"));
  EXPECT_EQ(text_of(files(), "d/old"), "new");
}

TEST_P(FileSystemContract, RenameMovesDirectoriesButNotIntoThemselves) {
  expect_ok(files().make_directory("d"));
  expect_ok(files().make_directory("e"));
  put_text(files(), "d/f", 0, "x");
  EXPECT_EQ(files().rename("d", "d/inner").error(), errc::invalid_argument);
  EXPECT_EQ(files().rename("e", "d/f").error(), errc::not_a_directory);
  EXPECT_EQ(files().rename("d/f", "e").error(), errc::is_a_directory);
  EXPECT_EQ(files().rename("e", "d").error(), errc::directory_not_empty);
  expect_ok(files().rename("d", "e"));
  EXPECT_EQ(text_of(files(), "e/f"), "x");
  EXPECT_EQ(names_in(files(), ""), std::vector<std::string>{"e"});
}

TEST_P(FileSystemContract, RemovedFilesLiveUntilTheyAreClosed) {
  put_text(files(), "f", 0, "abc");
  const auto file = opened(files(), "f", {.mode = OpenMode::kWrite});
  expect_ok(files().remove_file("f"));
  EXPECT_EQ(text_of(files(), "f"), "<" + file_error(ENOENT).message() + ">");
  EXPECT_EQ(files().remove_file("f").error(), errc::no_such_file_or_directory);
  expect_ok(file->write(3, as_bytes("def")));
  EXPECT_EQ(*file->size(), 6U);
  put_text(files(), "f", 0, "other");
  EXPECT_EQ(*file->size(), 6U);
}

TEST_P(FileSystemContract, OnlyEmptyDirectoriesAreRemoved) {
  expect_ok(files().make_directory("d"));
  put_text(files(), "d/f", 0, "x");
  EXPECT_EQ(files().remove_directory("d").error(), errc::directory_not_empty);
  expect_ok(files().remove_file("d/f"));
  expect_ok(files().remove_directory("d"));
  EXPECT_EQ(files().remove_directory("d").error(), errc::no_such_file_or_directory);
  expect_ok(files().make_directory("d"));
}

TEST_P(FileSystemContract, SyncsOfDirectoriesAndOfAllSucceed) {
  expect_ok(files().make_directory("d"));
  put_text(files(), "d/f", 0, "x");
  expect_ok(files().sync_directory("d"));
  expect_ok(files().sync_directory(""));
  expect_ok(files().sync_all());
  EXPECT_EQ(text_of(files(), "d/f"), "x");
}

TEST_P(FileSystemContract, ALockIsHeldOnce) {
  Result<std::unique_ptr<FileLock>> first = files().lock("lock");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(files().lock("lock").error(), errc::resource_unavailable_try_again);
  EXPECT_TRUE(files().lock("other").has_value());
  first->reset();
  EXPECT_TRUE(files().lock("lock").has_value());
  EXPECT_EQ(names_in(files(), ""), (std::vector<std::string>{"lock", "other"}));
}

TEST_P(FileSystemContract, SpaceIsWithinTheDisk) {
  const DiskSpace space = *files().space();
  EXPECT_GT(space.total_bytes, 0U);
  EXPECT_LE(space.available_bytes, space.total_bytes);
}

TEST_P(FileSystemContract, DirectFilesHoldTheSameBytes) {
  AlignedBuffer out = *AlignedBuffer::allocate(2 * kDirectAlignmentBytes);
  for (std::size_t i = 0; i < out.size(); ++i) out.bytes()[i] = static_cast<std::byte>(i * 7);
  const auto file = opened(files(), "f", {.mode = OpenMode::kCreateNew, .direct = true});
  const ByteView whole = out.bytes();
  expect_ok(file->write(kDirectAlignmentBytes, whole));
  const std::array pieces{whole.last(kDirectAlignmentBytes), whole.first(kDirectAlignmentBytes)};
  expect_ok(file->write(3 * kDirectAlignmentBytes, pieces));
  expect_ok(file->sync());

  AlignedBuffer in = *AlignedBuffer::allocate(8 * kDirectAlignmentBytes);
  EXPECT_EQ(*file->read(0, in.bytes()), 5 * kDirectAlignmentBytes);
  EXPECT_EQ(in.bytes()[0], std::byte{0});
  EXPECT_TRUE(std::ranges::equal(in.bytes().subspan(kDirectAlignmentBytes, whole.size()), whole));
  EXPECT_TRUE(std::ranges::equal(in.bytes().subspan(4 * kDirectAlignmentBytes, kDirectAlignmentBytes),
                                 whole.first(kDirectAlignmentBytes)));
}

TEST_P(FileSystemContract, DirectReadsEndInsideABlock) {
  put_text(files(), "f", 0, std::string(kDirectAlignmentBytes + 100, 'x'));
  const auto file = opened(files(), "f", {.direct = true});
  AlignedBuffer in = *AlignedBuffer::allocate(4 * kDirectAlignmentBytes);
  EXPECT_EQ(*file->read(0, in.bytes()), kDirectAlignmentBytes + 100);
  EXPECT_EQ(*file->read(kDirectAlignmentBytes, in.bytes()), 100U);
}

TEST_P(FileSystemContract, BufferedReadersSeeDirectWrites) {
  put_text(files(), "f", 0, std::string(2 * kDirectAlignmentBytes, 'a'));
  EXPECT_EQ(text_of(files(), "f")[0], 'a');
  AlignedBuffer out = *AlignedBuffer::allocate(kDirectAlignmentBytes);
  std::ranges::fill(out.bytes(), std::byte{'b'});
  const auto file = opened(files(), "f", {.mode = OpenMode::kWrite, .direct = true});
  expect_ok(file->write(kDirectAlignmentBytes, out.bytes()));
  EXPECT_EQ(text_of(files(), "f"), std::string(kDirectAlignmentBytes, 'a') + std::string(kDirectAlignmentBytes, 'b'));
}

TEST_P(FileSystemContract, ThreadsShareFilesAndDirectories) {
  const auto file = opened(files(), "shared", {.mode = OpenMode::kCreate});
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kRounds = 50;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      const std::string text(10, static_cast<char>('a' + thread));
      for (std::size_t round = 0; round < kRounds; ++round) {
        expect_ok(file->write((round * kThreads + thread) * text.size(), as_bytes(text)));
        const std::string own = "f" + std::to_string(thread);
        put_text(files(), own, 0, text);
        EXPECT_EQ(text_of(files(), own), text);
        expect_ok(files().remove_file(own));
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::string expected;
  for (std::size_t i = 0; i < kThreads * kRounds; ++i)
    expected += std::string(10, static_cast<char>('a' + i % kThreads));
  EXPECT_EQ(text_of(files(), "shared"), expected);
  EXPECT_EQ(names_in(files(), ""), std::vector<std::string>{"shared"});
}

TEST_P(FileSystemContract, FilesAndLocksOutliveTheFileSystem) {
  const auto file = opened(files(), "f", {.mode = OpenMode::kCreate});
  const auto lock = files().lock("lock");
  close_file_system();
  expect_ok(file->write(0, as_bytes("x")));
  EXPECT_EQ(*file->size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Subjects, FileSystemContract,
                         testing::Values(Subject{"memory", nullptr}, Subject{"disk", "."},
                                         Subject{"shared_memory", "/dev/shm"}),
                         [](const testing::TestParamInfo<Subject>& tested) { return tested.param.name; });

}  // namespace
}  // namespace braid::storage
