// Power, restarts, observers and lies of the file system in memory; faults and cut variants have tests of their own.
#include "storage/env/memory_file_system.h"

#include <gtest/gtest.h>

#include <boost/system/errc.hpp>
#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "storage/env/file_text.h"

namespace braid::storage {
namespace {

namespace errc = boost::system::errc;
using protocol::as_bytes;

TEST(MemoryFileSystem, LosesPowerBeforeTheCallThatWasNamed) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  files.cut_power_after(2);
  expect_ok(file->write(0, as_bytes("ab")));
  EXPECT_EQ(*file->size(), 2U);  // reading calls don't count
  expect_ok(file->write(2, as_bytes("cd")));
  EXPECT_TRUE(files.has_power());
  EXPECT_EQ(file->write(4, as_bytes("ef")).error(), errc::no_such_device);
  EXPECT_FALSE(files.has_power());
  EXPECT_EQ(file->size().error(), errc::no_such_device);
  EXPECT_EQ(files.list("").error(), errc::no_such_device);
  EXPECT_EQ(files.open("f", {}).error(), errc::no_such_device);

  files.restart({CutVariant::kKeepAll, 0});
  EXPECT_EQ(text_of(files, "f"), "abcd");
  put_text(files, "f", 4, "ef");
  EXPECT_EQ(text_of(files, "f"), "abcdef");
}

TEST(MemoryFileSystem, ARestartEndsFilesAndLocks) {
  MemoryFileSystem files;
  auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  auto lock = files.lock("lock");
  files.restart({CutVariant::kKeepAll, 0});
  EXPECT_EQ(file->write(0, as_bytes("x")).error(), file_error(ESTALE));
  EXPECT_EQ(file->sync().error(), file_error(ESTALE));
  EXPECT_EQ(file->size().error(), file_error(ESTALE));
  auto second = files.lock("lock");
  ASSERT_TRUE(second.has_value());
  lock->reset();  // of the process that is gone: unlocks nothing
  file.reset();
  EXPECT_EQ(files.lock("lock").error(), errc::resource_unavailable_try_again);
}

TEST(MemoryFileSystem, ARestartForgetsFaultsAndLies) {
  MemoryFileSystem files;
  files.plan({.operation = Operation::kWrite, .for_ever = true, .error = EIO});
  files.tell({.sync = true, .sync_directory = true});
  files.restart({});
  put_text(files, "f", 0, "x");
  sync_file(files, "f");
  expect_ok(files.sync_directory(""));
  EXPECT_EQ(text_of(*files.after_cut({}), "f"), "x");
}

TEST(MemoryFileSystem, ACutTriedOnACopyLeavesTheOriginal) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  expect_ok(file->write(0, as_bytes("ab")));
  expect_ok(file->sync());
  expect_ok(files.sync_directory(""));
  expect_ok(file->write(0, as_bytes("xy")));
  const auto found = files.after_cut({CutVariant::kDropUnsynced, 0});
  EXPECT_EQ(text_of(*found, "f"), "ab");
  put_text(*found, "f", 0, "other");
  EXPECT_EQ(text_of(files, "f"), "xy");
  expect_ok(file->write(2, as_bytes("z")));
  EXPECT_EQ(text_of(files, "f"), "xyz");
}

TEST(MemoryFileSystem, AnObserverSeesEachCallBeforeItHappens) {
  MemoryFileSystem files;
  std::vector<std::string> seen;
  files.observe([&](const MemoryCall& call) {
    const auto found = files.after_cut({CutVariant::kKeepAll, 0});
    seen.push_back(std::string(name_of(call.operation)) + " " + std::string(call.path) +
                   (call.changes_disk ? " !" : "") + " " + std::to_string(names_in(*found, "").size()));
  });
  put_text(files, "f", 0, "x");
  EXPECT_EQ(text_of(files, "f"), "x");
  expect_ok(files.remove_file("f"));
  EXPECT_EQ(seen, (std::vector<std::string>{"open f ! 0", "write f ! 1", "open f 1", "size f 1", "read f 1",
                                            "remove_file f ! 1"}));
  EXPECT_EQ(files.changes(), 3U);
  EXPECT_EQ(files.calls(Operation::kOpen), 2U);
}

TEST(MemoryFileSystem, ForgottenSyncsLoseWhatTheyPromised) {
  for (const Lies lies : {Lies{.sync = true}, Lies{.sync_directory = true}}) {
    MemoryFileSystem files;
    files.tell(lies);
    put_text(files, "f", 0, "data");
    sync_file(files, "f");
    expect_ok(files.sync_directory(""));
    EXPECT_NE(text_of(*files.after_cut({CutVariant::kDropUnsynced, 0}), "f"), "data");
    expect_ok(files.sync_all());
    EXPECT_NE(text_of(*files.after_cut({CutVariant::kDropUnsynced, 0}), "f"), "data");
    files.tell({});
    expect_ok(files.sync_all());
    EXPECT_EQ(text_of(*files.after_cut({CutVariant::kDropUnsynced, 0}), "f"), "data");
  }
}

TEST(MemoryFileSystem, OldUnsyncedWritesReachTheDiskByThemselves) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  expect_ok(files.sync_directory(""));
  for (std::size_t i = 0; i < protocol::kUnsyncedWritesMax + 10; ++i)
    expect_ok(file->write(0, as_bytes(i < 10 ? "early" : "later")));
  EXPECT_EQ(text_of(*files.after_cut({CutVariant::kDropUnsynced, 0}), "f"), "later");
}

TEST(MemoryFileSystem, HasABoundForAFile) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  EXPECT_EQ(file->write(protocol::kMemoryFileBytesMax, as_bytes("x")).error(), errc::file_too_large);
  EXPECT_EQ(file->truncate(protocol::kMemoryFileBytesMax + 1).error(), errc::file_too_large);
  EXPECT_EQ(file->allocate(~std::uint64_t{0}, 2).error(), errc::file_too_large);
}

TEST(MemoryFileSystem, ForgetsRemovedFilesOnceTheirRemovalIsDurable) {
  MemoryFileSystem files({.capacity_bytes = 1 << 20});
  for (int i = 0; i < 1000; ++i) {
    put_text(files, "f", 0, std::string(100'000, 'x'));
    expect_ok(files.remove_file("f"));
    expect_ok(files.sync_directory(""));
  }
  EXPECT_EQ(files.space()->available_bytes, 1U << 20);
}

}  // namespace
}  // namespace braid::storage
