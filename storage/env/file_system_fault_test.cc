// Calls that fail, do a part, or meet a full disk: what File makes of them, and that each call can be made to fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "storage/env/aligned_buffer.h"
#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

namespace errc = boost::system::errc;
using protocol::as_bytes;
using Effect = Fault::Effect;

Fault fault(Operation operation, int error, bool for_ever = false) {
  return {.operation = operation, .nth = 1, .for_ever = for_ever, .effect = Effect::kError, .error = error};
}

Fault short_calls(Operation operation) {
  return {.operation = operation, .nth = 1, .for_ever = true, .effect = Effect::kShort, .error = 0};
}

/// A file whose calls answer as the test says.
class ScriptedFile final : public File {
 public:
  ScriptedFile(bool direct, std::vector<std::size_t> answers) : File(direct), answers_(std::move(answers)) {}

  struct Write {
    std::uint64_t at;
    std::size_t bytes;
    bool operator==(const Write&) const = default;
  };
  const std::vector<Write>& writes() const { return writes_; }

  Result<void> sync() override { return protocol::ok(); }
  Result<void> truncate(std::uint64_t) override { return protocol::ok(); }
  Result<void> allocate(std::uint64_t, std::uint64_t) override { return protocol::ok(); }
  Result<std::uint64_t> size() override { return std::uint64_t{0}; }
  void advise(std::uint64_t, std::uint64_t, Advice) override {}

 private:
  Result<std::size_t> read_some(std::uint64_t, MutableBytes) override { return next(); }

  Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) override {
    std::size_t bytes = 0;
    for (const ByteView piece : pieces) bytes += piece.size();
    writes_.push_back({at, bytes});
    return next();
  }

  std::size_t next() {
    const std::size_t answer = answers_.front();
    answers_.erase(answers_.begin());
    return answer;
  }

  std::vector<std::size_t> answers_;
  std::vector<Write> writes_;
};

TEST(FileFaults, ShortWritesAndReadsAreContinued) {
  MemoryFileSystem files;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text.push_back(static_cast<char>('a' + i % 23));
  files.plan(short_calls(Operation::kWrite));
  files.plan(short_calls(Operation::kRead));
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  const std::array pieces{as_bytes(text).first(7'000), as_bytes(text).subspan(7'000)};
  expect_ok(file->write(0, pieces));
  EXPECT_GT(files.calls(Operation::kWrite), 2U);
  EXPECT_EQ(text_of(files, "f"), text);
  EXPECT_GT(files.calls(Operation::kRead), 2U);
}

TEST(FileFaults, AWriteWithoutProgressIsAnError) {
  ScriptedFile file(false, {3, 0});
  EXPECT_EQ(file.write(10, as_bytes("abcdef")).error(), errc::io_error);
  EXPECT_EQ(file.writes(), (std::vector<ScriptedFile::Write>{{10, 6}, {13, 3}}));
}

TEST(FileFaults, AShortDirectWriteGoesOnAtABlock) {
  const AlignedBuffer buffer = *AlignedBuffer::allocate(3 * kDirectAlignmentBytes);
  ScriptedFile file(true, {kDirectAlignmentBytes + 512, 2 * kDirectAlignmentBytes});
  expect_ok(file.write(0, buffer.bytes()));
  EXPECT_EQ(file.writes(), (std::vector<ScriptedFile::Write>{{0, 3 * kDirectAlignmentBytes},
                                                             {kDirectAlignmentBytes, 2 * kDirectAlignmentBytes}}));
}

TEST(FileFaults, ADirectWriteOfLessThanABlockIsTriedAgainUpToABound) {
  const AlignedBuffer buffer = *AlignedBuffer::allocate(kDirectAlignmentBytes);
  ScriptedFile file(true, {512, 512, kDirectAlignmentBytes});
  expect_ok(file.write(0, buffer.bytes()));
  EXPECT_EQ(file.writes().size(), 3U);
  ScriptedFile stuck(true, std::vector<std::size_t>(protocol::kInterruptionsMax, 512));
  EXPECT_EQ(stuck.write(0, buffer.bytes()).error(), errc::io_error);
  EXPECT_EQ(stuck.writes().size(), protocol::kInterruptionsMax);
}

TEST(FileFaults, AShortDirectWriteDoesWholeSectorsAndIsContinued) {
  for (std::size_t blocks = 1; blocks < 5; ++blocks) {
    MemoryFileSystem files;
    const auto file = opened(files, "f", {.mode = OpenMode::kCreate, .direct = true});
    AlignedBuffer buffer = *AlignedBuffer::allocate(blocks * kDirectAlignmentBytes);
    std::ranges::fill(buffer.bytes(), std::byte{'x'});
    Fault once = short_calls(Operation::kWrite);
    once.for_ever = false;
    files.plan(once);
    std::uint64_t size_between = 0;
    files.observe([&](const MemoryCall& call) {
      if (call.operation == Operation::kWrite && size_between == 0) size_between = *file->size();
    });
    expect_ok(file->write(0, buffer.bytes()));
    files.observe({});
    EXPECT_GE(files.calls(Operation::kWrite), 2U) << blocks;
    EXPECT_EQ(size_between % 512, 0U);
    EXPECT_EQ(text_of(files, "f"), std::string(blocks * kDirectAlignmentBytes, 'x'));
  }
}

TEST(FileFaults, InterruptionsAreTriedAgainUpToABound) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  files.plan(fault(Operation::kWrite, EINTR));
  expect_ok(file->write(0, as_bytes("abc")));
  files.plan(fault(Operation::kRead, EINTR));
  EXPECT_EQ(text_of(files, "f"), "abc");

  files.plan(fault(Operation::kWrite, EINTR, true));
  const std::uint64_t before = files.calls(Operation::kWrite);
  EXPECT_EQ(file->write(0, as_bytes("x")).error(), errc::interrupted);
  EXPECT_EQ(files.calls(Operation::kWrite) - before, protocol::kInterruptionsMax);
}

TEST(FileFaultsDeathTest, DirectCallsMustBeAligned) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate, .direct = true});
  ASSERT_TRUE(file->direct());
  AlignedBuffer buffer = *AlignedBuffer::allocate(2 * kDirectAlignmentBytes);
  const MutableBytes bytes = buffer.bytes();
  EXPECT_DEATH(static_cast<void>(file->write(512, bytes)), "aligned");
  EXPECT_DEATH(static_cast<void>(file->write(0, bytes.first(512))), "aligned");
  EXPECT_DEATH(static_cast<void>(file->write(0, bytes.subspan(512, kDirectAlignmentBytes))), "aligned");
  EXPECT_DEATH(static_cast<void>(file->read(512, bytes)), "aligned");
}

TEST(FileFaults, DirectFallsBackWhereItIsNotAllowed) {
  MemoryFileSystem files({.allows_direct = false});
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate, .direct = true});
  EXPECT_FALSE(file->direct());
  expect_ok(file->write(3, as_bytes("odd")));
}

struct FailingCall {
  Operation operation;
  std::function<boost::system::error_code(FileSystem&, File&)> call;
};

template <class T>
boost::system::error_code error_of(const Result<T>& result) {
  return result.has_error() ? result.error() : boost::system::error_code();
}

const std::vector<FailingCall>& failing_calls() {
  static std::array<std::byte, 4> into;
  static const std::vector<FailingCall> calls{
      {Operation::kOpen, [](FileSystem& files, File&) { return error_of(files.open("f", {})); }},
      {Operation::kRead, [](FileSystem&, File& file) { return error_of(file.read(0, into)); }},
      {Operation::kWrite, [](FileSystem&, File& file) { return error_of(file.write(0, as_bytes("xyz"))); }},
      {Operation::kSync, [](FileSystem&, File& file) { return error_of(file.sync()); }},
      {Operation::kTruncate, [](FileSystem&, File& file) { return error_of(file.truncate(2)); }},
      {Operation::kAllocate, [](FileSystem&, File& file) { return error_of(file.allocate(0, 9)); }},
      {Operation::kSize, [](FileSystem&, File& file) { return error_of(file.size()); }},
      {Operation::kRename, [](FileSystem& files, File&) { return error_of(files.rename("f", "g")); }},
      {Operation::kRemoveFile, [](FileSystem& files, File&) { return error_of(files.remove_file("f")); }},
      {Operation::kMakeDirectory, [](FileSystem& files, File&) { return error_of(files.make_directory("e")); }},
      {Operation::kRemoveDirectory, [](FileSystem& files, File&) { return error_of(files.remove_directory("d")); }},
      {Operation::kList, [](FileSystem& files, File&) { return error_of(files.list("")); }},
      {Operation::kSyncDirectory, [](FileSystem& files, File&) { return error_of(files.sync_directory("")); }},
      {Operation::kSyncAll, [](FileSystem& files, File&) { return error_of(files.sync_all()); }},
      {Operation::kLock, [](FileSystem& files, File&) { return error_of(files.lock("l")); }},
      {Operation::kSpace, [](FileSystem& files, File&) { return error_of(files.space()); }},
  };
  return calls;
}

TEST(FileFaults, EveryCallFailsWhenPlannedAndThenWorks) {
  ASSERT_EQ(failing_calls().size(), kOperations);
  for (const FailingCall& failing : failing_calls()) {
    MemoryFileSystem files;
    expect_ok(files.make_directory("d"));
    const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
    expect_ok(file->write(0, as_bytes("abc")));

    files.plan(fault(failing.operation, EIO));
    EXPECT_EQ(failing.call(files, *file), errc::io_error) << name_of(failing.operation);
    if (failing.operation != Operation::kWrite) {
      EXPECT_EQ(text_of(files, "f"), "abc") << name_of(failing.operation);
      EXPECT_EQ(names_in(files, ""), (std::vector<std::string>{"d", "f"})) << name_of(failing.operation);
    }
    EXPECT_FALSE(failing.call(files, *file).failed()) << name_of(failing.operation);
  }
}

TEST(FileFaults, FaultsCountCallsOfTheirKindAndPath) {
  MemoryFileSystem files;
  expect_ok(files.make_directory("log"));
  files.plan({.operation = Operation::kWrite, .path_prefix = "log/", .nth = 2, .for_ever = true, .error = ENOSPC});
  const auto log = opened(files, "log/a", {.mode = OpenMode::kCreate});
  const auto other = opened(files, "other", {.mode = OpenMode::kCreate});
  expect_ok(other->write(0, as_bytes("x")));
  expect_ok(log->write(0, as_bytes("x")));
  EXPECT_EQ(log->write(1, as_bytes("x")).error(), errc::no_space_on_device);
  EXPECT_EQ(log->write(1, as_bytes("x")).error(), errc::no_space_on_device);
  expect_ok(other->write(1, as_bytes("x")));
  files.clear_faults();
  expect_ok(log->write(1, as_bytes("x")));

  files.plan({.operation = std::nullopt, .nth = 3, .error = EIO});
  expect_ok(other->sync());
  expect_ok(other->sync());
  EXPECT_EQ(other->sync().error(), errc::io_error);
  expect_ok(other->sync());
}

TEST(FileFaults, AFailedWriteLeavesAnyPartOfItself) {
  bool left_nothing = false;
  bool left_a_part = false;
  MemoryFileSystem files;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "f" + std::to_string(i);
    const auto file = opened(files, name, {.mode = OpenMode::kCreate});
    files.plan(fault(Operation::kWrite, EIO));
    EXPECT_EQ(file->write(0, as_bytes("abcd")).error(), errc::io_error);
    files.clear_faults();
    const std::string left = text_of(files, name);
    EXPECT_EQ(left, std::string("abcd").substr(0, left.size()));
    left_nothing = left_nothing || left.empty();
    left_a_part = left_a_part || left == "ab";
  }
  EXPECT_TRUE(left_nothing && left_a_part);
}

TEST(FileFaults, ASecondSyncDoesNotBringBackWhatAFailedOneLost) {
  std::size_t lost = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    MemoryFileSystem files;
    const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
    for (std::uint64_t page = 0; page < i % 5; ++page) expect_ok(file->write(0, as_bytes("----")));
    expect_ok(file->sync());
    expect_ok(files.sync_directory(""));
    expect_ok(file->write(0, as_bytes("data")));
    files.plan(fault(Operation::kSync, EIO));
    EXPECT_EQ(file->sync().error(), errc::io_error);
    expect_ok(file->sync());
    EXPECT_EQ(text_of(files, "f"), "data");  // still in the cache
    lost += text_of(*files.after_cut({CutVariant::kKeepAll, 0}), "f") == "data" ? 0U : 100U;
    lost += text_of(*files.after_cut({CutVariant::kNamesLost, 0}), "f") == "data" ? 0U : 1U;

    expect_ok(file->write(0, as_bytes("data")));  // written again it is unsynced again
    expect_ok(file->sync());
    EXPECT_EQ(text_of(*files.after_cut({CutVariant::kDropUnsynced, 0}), "f"), "data");
  }
  EXPECT_GT(lost, 0U);
  EXPECT_LT(lost, 100U);
}

TEST(FileFaults, AFailedSyncOfAllFailsForEachFile) {
  std::size_t lost = 0;
  MemoryFileSystem files;
  for (int i = 0; i < 20; ++i) put_text(files, "f" + std::to_string(i), 0, "data");
  expect_ok(files.sync_directory(""));
  files.plan(fault(Operation::kSyncAll, EIO));
  EXPECT_EQ(files.sync_all().error(), errc::io_error);
  expect_ok(files.sync_all());
  const auto found = files.after_cut({CutVariant::kDropUnsynced, 0});
  for (int i = 0; i < 20; ++i)
    if (text_of(*found, "f" + std::to_string(i)) != "data") ++lost;
  EXPECT_GT(lost, 0U);
  EXPECT_LT(lost, 20U);
}

TEST(DiskFull, GrowingMeetsItAndRewritingDoesNot) {
  MemoryFileSystem files({.capacity_bytes = 3 * 4096});
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  expect_ok(file->write(0, as_bytes(std::string(2 * 4096, 'a'))));
  EXPECT_EQ(files.space()->available_bytes, 4096U);
  EXPECT_EQ(file->allocate(2 * 4096, 2 * 4096).error(), errc::no_space_on_device);
  EXPECT_EQ(*file->size(), 2U * 4096);
  EXPECT_EQ(file->write(4096, as_bytes(std::string(3 * 4096, 'b'))).error(), errc::no_space_on_device);
  EXPECT_EQ(text_of(files, "f"), std::string(4096, 'a') + std::string(2 * 4096, 'b'));  // what fitted was written
  expect_ok(file->write(0, as_bytes(std::string(3 * 4096, 'c'))));
  EXPECT_EQ(file->write(3 * 4096, as_bytes("x")).error(), errc::no_space_on_device);
  expect_ok(file->truncate(100 * 4096));  // a hole takes nothing
  EXPECT_EQ(file->write(50 * 4096, as_bytes("x")).error(), errc::no_space_on_device);
}

TEST(DiskFull, EndsWhenSpaceIsGivenBack) {
  MemoryFileSystem files({.capacity_bytes = 2 * 4096});
  put_text(files, "old", 0, std::string(2 * 4096, 'a'));
  auto reader = opened(files, "old", {});
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  EXPECT_EQ(file->write(0, as_bytes("x")).error(), errc::no_space_on_device);
  expect_ok(files.remove_file("old"));
  EXPECT_EQ(file->write(0, as_bytes("x")).error(), errc::no_space_on_device);  // still open
  reader.reset();
  expect_ok(file->write(0, as_bytes("x")));
  expect_ok(file->allocate(0, 2 * 4096));
  EXPECT_EQ(files.space()->available_bytes, 0U);
  expect_ok(file->truncate(10));
  EXPECT_EQ(files.space()->available_bytes, 4096U);

  files.set_capacity(0);
  EXPECT_EQ(files.space()->available_bytes, 0U);
  EXPECT_EQ(file->write(4096, as_bytes("x")).error(), errc::no_space_on_device);
  files.set_capacity(1 << 20);
  expect_ok(file->write(4096, as_bytes("x")));
  put_text(files, "g", 0, "x");
  expect_ok(files.rename("g", "f"));  // the replaced file is still open
  EXPECT_EQ(files.space()->available_bytes, (1U << 20) - 3 * 4096);
}

TEST(Damage, UnreadableRangesFailUntilHealed) {
  MemoryFileSystem files;
  put_text(files, "f", 0, "0123456789");
  expect_ok(files.sync_all());
  expect_ok(files.fail_reads("f", 4, 6, EIO));
  const auto file = opened(files, "f", {});
  std::array<std::byte, 4> into;
  EXPECT_EQ(*file->read(0, into), 4U);
  EXPECT_EQ(file->read(1, into).error(), errc::io_error);
  EXPECT_EQ(file->read(5, into).error(), errc::io_error);
  EXPECT_EQ(*file->read(6, into), 4U);
  files.restart({CutVariant::kDropUnsynced, 0});
  EXPECT_EQ(text_of(files, "f"), "<" + file_error(EIO).message() + ">");
  EXPECT_EQ(text_of(*files.after_cut({}), "f"), "<" + file_error(EIO).message() + ">");
  files.heal_reads();
  EXPECT_EQ(text_of(files, "f"), "0123456789");
  EXPECT_EQ(files.fail_reads("none", 0, 1, EIO).error(), errc::no_such_file_or_directory);
}

TEST(Damage, ChangesBytesAtRest) {
  MemoryFileSystem files;
  put_text(files, "f", 0, "0123456789");
  expect_ok(files.sync_all());
  expect_ok(files.damage("f", 3, as_bytes("x")));
  EXPECT_EQ(text_of(files, "f"), "012x456789");
  EXPECT_EQ(text_of(*files.after_cut({}), "f"), "012x456789");
}

}  // namespace
}  // namespace braid::storage
