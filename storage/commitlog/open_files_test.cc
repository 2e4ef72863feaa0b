#include "storage/commitlog/open_files.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/system/errc.hpp>
#include <cerrno>
#include <string>

#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

class OpenFilesTest : public testing::Test {
 protected:
  OpenFilesTest() {
    expect_ok(files_.make_directory("d"));
    for (int i = 0; i < 10; ++i) put_text(files_, name(i), 0, std::to_string(i));
    opens_before_ = files_.calls(Operation::kOpen);
  }

  static std::string name(int i) { return "d/" + std::to_string(i); }
  std::uint64_t opens() const { return files_.calls(Operation::kOpen) - opens_before_; }

  std::string read(int i) {
    const auto file = open_.open_to_read(name(i));
    if (file.has_error()) return file.error().message();
    std::array<char, 8> text;
    const auto size = (*file)->read(0, std::as_writable_bytes(std::span(text)));
    return size.has_value() ? std::string(text.data(), *size) : size.error().message();
  }

  MemoryFileSystem files_;
  OpenFiles open_{files_, 3};
  std::uint64_t opens_before_ = 0;
};

TEST_F(OpenFilesTest, NeverKeepsMoreThanItsBound) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(read(i), std::to_string(i));
      EXPECT_LE(open_.open_count(), 3U);
    }
  }
  EXPECT_EQ(opens(), 30U);
}

TEST_F(OpenFilesTest, ClosesTheOneThatWasUsedLongestAgo) {
  read(0);
  read(1);
  read(2);
  read(0);
  read(3);  // closes 1
  EXPECT_EQ(opens(), 4U);
  read(0);
  read(2);
  EXPECT_EQ(opens(), 4U);
  read(1);
  EXPECT_EQ(opens(), 5U);
}

TEST_F(OpenFilesTest, AFileInUseSurvivesBeingPushedOut) {
  const auto held = open_.open_to_read(name(0));
  ASSERT_TRUE(held.has_value());
  for (int i = 1; i < 10; ++i) read(i);
  std::array<std::byte, 1> byte;
  EXPECT_TRUE((*held)->read(0, byte).has_value());
}

TEST_F(OpenFilesTest, AWriterDoesNotGetAReadersFile) {
  read(0);
  const auto file = open_.open_to_write(name(0), false);
  ASSERT_TRUE(file.has_value());
  expect_ok((*file)->write(0, protocol::as_bytes("x")));
  EXPECT_EQ(open_.open_count(), 1U) << "the writer's takes the reader's place";
  EXPECT_EQ(read(0), "x");
  EXPECT_EQ(opens(), 2U) << "a reader takes the writer's";
}

TEST_F(OpenFilesTest, MakesAFileOnlyWhenAsked) {
  EXPECT_EQ(open_.open_to_write("d/new", false).error(), boost::system::errc::no_such_file_or_directory);
  EXPECT_TRUE(open_.open_to_write("d/new", true).has_value());
  EXPECT_EQ(open_.open_to_read("d/none").error(), boost::system::errc::no_such_file_or_directory);
}

TEST_F(OpenFilesTest, ForgetsAFileOrAWholeDirectoryButNotItsNeighbours) {
  put_text(files_, "d1", 0, "neighbour");
  read(0);
  read(1);
  ASSERT_TRUE(open_.open_to_read("d1").has_value());
  open_.forget(name(0));
  EXPECT_EQ(open_.open_count(), 2U);
  open_.forget("d");
  EXPECT_EQ(open_.open_count(), 1U) << "d1 is not below d";
  expect_ok(files_.remove_file(name(0)));
  EXPECT_EQ(open_.open_to_read(name(0)).error(), boost::system::errc::no_such_file_or_directory);
}

TEST_F(OpenFilesTest, DoesNotKeepAFileThatWasForgottenWhileItWasOpened) {
  // Between the look into the table and the open, another thread removes the file and makes another of that name.
  files_.observe([&](const MemoryCall& call) {
    if (call.operation == Operation::kOpen && call.path == name(0)) open_.forget(name(0));
  });
  EXPECT_EQ(read(0), "0");
  EXPECT_EQ(open_.open_count(), 0U);
  files_.observe({});
  read(0);
  EXPECT_EQ(open_.open_count(), 1U);
}

TEST_F(OpenFilesTest, KnowsWhetherSomebodyStillUsesAForgottenFile) {
  std::shared_ptr<File> held = *open_.open_to_read(name(0));
  EXPECT_TRUE(open_.is_used(name(0)));
  open_.forget(name(0));
  EXPECT_TRUE(open_.is_used(name(0)));
  EXPECT_FALSE(open_.is_used(name(1)));
  held.reset();
  EXPECT_FALSE(open_.is_used(name(0)));
  // Closed for another file, and still held.
  held = *open_.open_to_read(name(0));
  for (int i = 1; i < 8; ++i) read(i);
  EXPECT_TRUE(open_.is_used(name(0)));
  held.reset();
  EXPECT_FALSE(open_.is_used(name(0)));
}

TEST_F(OpenFilesTest, AFileThatIsJustBeingOpenedIsUsed) {
  bool is_used = false;
  files_.observe([&](const MemoryCall& call) {
    if (call.operation == Operation::kOpen) is_used = open_.is_used(name(0));
  });
  read(0);
  EXPECT_TRUE(is_used);
}

TEST_F(OpenFilesTest, AFailedOpenIsNotKept) {
  files_.plan({.operation = Operation::kOpen, .error = EMFILE});
  EXPECT_EQ(open_.open_to_read(name(0)).error(), boost::system::errc::too_many_files_open);
  EXPECT_EQ(open_.open_count(), 0U);
  EXPECT_EQ(read(0), "0");
}

}  // namespace
}  // namespace braid::storage
