// Each variant of a power cut does what it says. Random variants are tried with many seeds: every outcome that is
// allowed must show, and no other.
#include "storage/env/power_cut.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

using protocol::as_bytes;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSector = 512;
constexpr std::uint64_t kSeeds = 400;

const std::string kMissing = "<" + file_error(ENOENT).message() + ">";

/// What `look` sees after the cut, of all seeds.
std::set<std::string> outcomes(const MemoryFileSystem& files, CutVariant variant,
                               const std::function<std::string(MemoryFileSystem&)>& look) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) seen.insert(look(*files.after_cut({variant, seed})));
  return seen;
}

/// The first byte of each page, '0' for a zero, so that a file of pages reads as a word.
std::string page_letters(FileSystem& files, std::string_view path) {
  const std::string text = text_of(files, path);
  if (text.starts_with('<')) return "-";
  std::string letters;
  for (std::size_t at = 0; at < text.size(); at += kPage) letters.push_back(text[at] == '\0' ? '0' : text[at]);
  return letters;
}

std::string pages(std::string_view letters) {
  std::string text;
  for (const char letter : letters) text.append(kPage, letter);
  return text;
}

/// "f" holds pages "aa", durable with its name; then "b" is written over the second, and "cd" behind it.
void write_beyond_a_sync(MemoryFileSystem& files) {
  put_text(files, "f", 0, pages("aa"));
  sync_file(files, "f");
  expect_ok(files.sync_directory(""));
  put_text(files, "f", kPage, pages("b"));
  put_text(files, "f", 2 * kPage, pages("cd"));
}

std::string letters_of_f(MemoryFileSystem& files) { return page_letters(files, "f"); }

TEST(PowerCut, DropUnsyncedLeavesWhatWasSynced) {
  MemoryFileSystem files;
  write_beyond_a_sync(files);
  put_text(files, "unsynced_name", 0, "x");
  sync_file(files, "unsynced_name");
  const auto look = [](MemoryFileSystem& found) { return letters_of_f(found) + page_letters(found, "unsynced_name"); };
  EXPECT_EQ(outcomes(files, CutVariant::kDropUnsynced, look), std::set<std::string>{"aa-"});
}

TEST(PowerCut, KeepAllLeavesEverythingAsUnsyncedAsItWas) {
  MemoryFileSystem files;
  write_beyond_a_sync(files);
  const auto look = [](MemoryFileSystem& found) {
    return letters_of_f(found) + " then " + letters_of_f(*found.after_cut({CutVariant::kDropUnsynced, 0}));
  };
  EXPECT_EQ(outcomes(files, CutVariant::kKeepAll, look), std::set<std::string>{"abcd then aa"});
}

TEST(PowerCut, RandomPagesLeavesAnySubset) {
  MemoryFileSystem files;
  write_beyond_a_sync(files);
  EXPECT_EQ(outcomes(files, CutVariant::kRandomPages, letters_of_f),
            (std::set<std::string>{"aa", "ab", "aa00", "aac0", "aa0d", "aacd", "ab00", "abc0", "ab0d", "abcd"}));
}

TEST(PowerCut, RandomPagesMayLeaveAnOlderWriteOfAPage) {
  MemoryFileSystem files;
  write_beyond_a_sync(files);
  put_text(files, "f", kPage, pages("B"));
  const auto look = [](MemoryFileSystem& found) { return letters_of_f(found).substr(1, 1); };
  EXPECT_EQ(outcomes(files, CutVariant::kRandomPages, look), (std::set<std::string>{"a", "b", "B"}));
}

TEST(PowerCut, RandomPagesNeverLeavesWritesBehindALostTruncation) {
  MemoryFileSystem files;
  put_text(files, "f", 0, pages("aaa"));
  expect_ok(files.sync_all());
  const auto file = opened(files, "f", {.mode = OpenMode::kWrite});
  expect_ok(file->truncate(kPage));
  expect_ok(file->write(kPage, as_bytes(pages("b"))));
  EXPECT_EQ(outcomes(files, CutVariant::kRandomPages, letters_of_f), (std::set<std::string>{"aaa", "a", "a0", "ab"}));
}

TEST(PowerCut, TornPageLeavesSomeSectorsOfOneWriteAndNothingLater) {
  MemoryFileSystem files;
  put_text(files, "f", 0, pages("aaa"));
  expect_ok(files.sync_all());
  put_text(files, "f", 0, pages("bcd"));
  std::set<std::size_t> torn_pages;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string text = text_of(*files.after_cut({CutVariant::kTornPage, seed}), "f");
    ASSERT_EQ(text.size(), 3 * kPage);
    std::string sectors;
    for (std::size_t at = 0; at < text.size(); at += kSector) {
      ASSERT_EQ(text.substr(at, kSector), std::string(kSector, text[at])) << "seed " << seed << ", at " << at;
      sectors.push_back(text[at]);
    }
    std::size_t torn = 0;
    for (std::size_t page = 0; page < 3; ++page) {
      const std::string part = sectors.substr(page * 8, 8);
      const std::string whole(8, "bcd"[page]);
      if (part == whole) {
        ASSERT_EQ(torn, 0U) << "kept after the torn one, seed " << seed;
        continue;
      }
      if (part == "aaaaaaaa") {
        ASSERT_EQ(torn, 1U) << "lost before the torn one, seed " << seed;
        continue;
      }
      ASSERT_EQ(part.find_first_not_of(std::string("a") + "bcd"[page]), std::string::npos) << "seed " << seed;
      ASSERT_EQ(torn++, 0U) << "seed " << seed;
      torn_pages.insert(page);
    }
    ASSERT_EQ(torn, 1U) << "seed " << seed;
  }
  EXPECT_EQ(torn_pages.size(), 3U);
}

TEST(PowerCut, TornPageLeavesASingleSectorWholeOrNot) {
  MemoryFileSystem files;
  put_text(files, "f", 0, std::string(kPage, 'a'));
  expect_ok(files.sync_all());
  put_text(files, "f", kSector, "bbb");
  const auto look = [](MemoryFileSystem& found) { return text_of(found, "f").substr(kSector, 4); };
  EXPECT_EQ(outcomes(files, CutVariant::kTornPage, look), (std::set<std::string>{"aaaa", "bbba"}));
}

TEST(PowerCut, ReorderedFilesLeavesTheStartOfEachFilesChanges) {
  MemoryFileSystem files;
  for (const char* const name : {"f", "g"}) put_text(files, name, 0, pages("aa"));
  expect_ok(files.sync_all());
  put_text(files, "f", 0, pages("b"));
  put_text(files, "f", kPage, pages("c"));
  put_text(files, "g", 0, pages("d"));
  const auto look = [](MemoryFileSystem& found) { return letters_of_f(found) + page_letters(found, "g"); };
  EXPECT_EQ(outcomes(files, CutVariant::kReorderedFiles, look),
            (std::set<std::string>{"aaaa", "baaa", "bcaa", "aada", "bada", "bcda"}));
}

TEST(PowerCut, LengthWithoutBytesLeavesZerosOrOldBytesBehindTheOldEnd) {
  MemoryFileSystem files;
  put_text(files, "secret", 0, pages("s"));
  expect_ok(files.sync_all());
  expect_ok(files.remove_file("secret"));
  expect_ok(files.sync_all());
  write_beyond_a_sync(files);
  EXPECT_EQ(outcomes(files, CutVariant::kLengthWithoutBytes, letters_of_f),
            (std::set<std::string>{"ab00", "abs0", "ab0s", "abss"}));
}

TEST(PowerCut, NamesLostUndoesCreationsRenamesAndRemovals) {
  MemoryFileSystem files;
  for (const char* const name : {"renamed", "removed", "replaced"}) put_text(files, name, 0, name);
  expect_ok(files.sync_all());
  put_text(files, "created", 0, "created");
  expect_ok(files.rename("renamed", "new_name"));
  expect_ok(files.remove_file("removed"));
  expect_ok(files.make_directory("directory"));
  put_text(files, "replaced", 0, "NEWBYTES");
  const auto look = [](MemoryFileSystem& found) {
    std::string names = text_of(found, "replaced") + ":";
    for (const std::string& name : names_in(found, "")) names += " " + name;
    return names;
  };
  const std::set<std::string> seen = outcomes(files, CutVariant::kNamesLost, look);
  EXPECT_EQ(seen,
            (std::set<std::string>{"NEWBYTES: removed renamed replaced", "NEWBYTES: created removed renamed replaced",
                                   "NEWBYTES: created new_name removed replaced", "NEWBYTES: created new_name replaced",
                                   "NEWBYTES: created directory new_name replaced"}));
}

TEST(PowerCut, NamesLostKeepsWhatTheDirectorysSyncCovered) {
  MemoryFileSystem files;
  expect_ok(files.make_directory("d"));
  expect_ok(files.sync_directory(""));
  put_text(files, "d/f", 0, "x");
  put_text(files, "g", 0, "x");
  expect_ok(files.sync_directory("d"));
  const auto look = [](MemoryFileSystem& found) { return page_letters(found, "d/f") + page_letters(found, "g"); };
  EXPECT_EQ(outcomes(files, CutVariant::kNamesLost, look), (std::set<std::string>{"x-", "xx"}));
}

TEST(PowerCut, ADirectoryWithoutANameTakesItsFilesAlong) {
  MemoryFileSystem files;
  expect_ok(files.make_directory("d"));
  put_text(files, "d/f", 0, "x");
  sync_file(files, "d/f");
  expect_ok(files.sync_directory("d"));
  EXPECT_TRUE(names_in(*files.after_cut({}), "").empty());
  expect_ok(files.sync_directory(""));
  EXPECT_EQ(text_of(*files.after_cut({}), "d/f"), "x");
}

TEST(PowerCut, ARenameAcrossDirectoriesIsInOnePlaceOnly) {
  MemoryFileSystem files;
  expect_ok(files.make_directory("from"));
  expect_ok(files.make_directory("to"));
  put_text(files, "from/f", 0, "x");
  expect_ok(files.sync_all());
  put_text(files, "from/before", 0, "x");
  expect_ok(files.rename("from/f", "to/f"));
  put_text(files, "from/after", 0, "x");
  const auto look = [](MemoryFileSystem& found) {
    return page_letters(found, "from/f") + page_letters(found, "to/f") + page_letters(found, "from/before") +
           page_letters(found, "from/after");
  };
  for (const CutVariant variant : kCutVariants)
    for (const std::string& places : outcomes(files, variant, look))
      EXPECT_TRUE(places.starts_with("x-") || places.starts_with("-x")) << places << " after " << name_of(variant);
  expect_ok(files.sync_directory("to"));
  EXPECT_EQ(outcomes(files, CutVariant::kDropUnsynced, look), std::set<std::string>{"-x-"})
      << "\"before\" is empty on the disk, \"after\" is not there";
  EXPECT_EQ(names_in(*files.after_cut({}), "from"), std::vector<std::string>{"before"});
}

TEST(PowerCut, AllocationLostMakesHolesOfSpaceThatWasNeverWritten) {
  MemoryFileSystem files({.capacity_bytes = 4 * kPage});
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  expect_ok(file->allocate(0, 3 * kPage));
  expect_ok(file->write(0, as_bytes(pages("a"))));
  expect_ok(files.sync_all());
  EXPECT_EQ(files.after_cut({CutVariant::kDropUnsynced, 0})->space()->available_bytes, kPage);
  const auto found = files.after_cut({CutVariant::kAllocationLost, 0});
  EXPECT_EQ(page_letters(*found, "f"), "a00");
  EXPECT_EQ(found->space()->available_bytes, 3 * kPage);
}

TEST(PowerCut, AllocationNotSyncedLosesItsLengthToo) {
  MemoryFileSystem files;
  const auto file = opened(files, "f", {.mode = OpenMode::kCreate});
  expect_ok(files.sync_all());
  expect_ok(file->allocate(0, 3 * kPage));
  EXPECT_EQ(page_letters(*files.after_cut({CutVariant::kAllocationLost, 0}), "f"), "");
  expect_ok(file->sync());
  EXPECT_EQ(page_letters(*files.after_cut({CutVariant::kDropUnsynced, 0}), "f"), "000");
}

TEST(PowerCut, FreesWhatOnlyTheDeadProcessHeld) {
  MemoryFileSystem files({.capacity_bytes = 4 * kPage});
  put_text(files, "f", 0, pages("aa"));
  expect_ok(files.sync_all());
  const auto file = opened(files, "f", {});
  expect_ok(files.remove_file("f"));
  EXPECT_EQ(files.space()->available_bytes, 2 * kPage);
  EXPECT_EQ(files.after_cut({CutVariant::kKeepAll, 0})->space()->available_bytes, 4 * kPage);
  const auto undone = files.after_cut({CutVariant::kKeepAll, 0})->after_cut({CutVariant::kDropUnsynced, 0});
  EXPECT_EQ(page_letters(*undone, "f"), "aa");
  EXPECT_EQ(undone->space()->available_bytes, 2 * kPage);
}

TEST(PowerCut, TheSameSeedLeavesTheSameDisk) {
  MemoryFileSystem files;
  write_beyond_a_sync(files);
  for (const CutVariant variant : kCutVariants)
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      EXPECT_EQ(text_of(*files.after_cut({variant, seed}), "f"), text_of(*files.after_cut({variant, seed}), "f"))
          << name_of(variant) << ", seed " << seed;
}

}  // namespace
}  // namespace braid::storage
