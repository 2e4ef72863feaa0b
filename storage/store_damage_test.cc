// Damage to the log's own files: found, reported with file and position, never served, and everything else is served.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "storage/commitlog/superblock.h"
#include "storage/env/split_mix.h"
#include "storage/errors.h"
#include "storage/small_store.h"
#include "storage/store_image.h"
#include "storage/test_seed.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using Harm = StoreImage::Harm;
using Kind = RecoveryFinding::Kind;

const StoreImage& image() {
  static const StoreImage made;
  return made;
}

void flip(MemoryFileSystem& files, const std::string& path, std::uint64_t at, unsigned bit) {
  Bytes byte(1);
  const auto file = files.open(path, {});
  ASSERT_EQ(*(*file)->read(at, byte), 1U);
  byte[0] ^= std::byte{1} << bit;
  ASSERT_TRUE(files.damage(path, at, byte).has_value());
}

Harm harm_of(const std::string& path, std::uint64_t begin, std::uint64_t end, bool from_log_only) {
  Harm harm;
  harm.ranges = {{path, {begin, end}}};
  harm.from_log_only = from_log_only;
  return harm;
}

bool reported(const RecoveryReport& report, const std::string& path, LogPosition from, LogPosition to) {
  return std::ranges::any_of(report.findings, [&](const RecoveryFinding& finding) {
    return (finding.kind == Kind::kBadEntry || finding.kind == Kind::kTornTail) && finding.path == path &&
           finding.position >= from && finding.position < to;
  });
}

/// One of each type, and of batches several.
std::vector<StoreImage::Entry> chosen_entries() {
  std::vector<StoreImage::Entry> chosen;
  std::size_t batches = 0;
  for (const StoreImage::Entry& entry : image().entries()) {
    const bool is_batch = entry.header.type == EntryType::kBatch;
    const auto same = std::ranges::count_if(
        chosen, [&](const StoreImage::Entry& other) { return other.header.type == entry.header.type; });
    if (is_batch ? batches++ % 60 == 7 : same == 0) chosen.push_back(entry);
  }
  return chosen;
}

TEST(StoreDamage, TheImageHoldsEveryTypeOfEntryAndServesAllOfThem) {
  for (const bool from_log_only : {false, true}) {
    RecoveryReport report;
    const auto files = image().copy();
    EXPECT_EQ(image().judge(*files, {.from_log_only = from_log_only}, report), "");
    EXPECT_EQ(report.findings_count, 0);
  }
  EXPECT_GE(image().log_files().size(), 3U);
  for (int type = 1; type <= kEntryTypeLast; ++type)
    EXPECT_TRUE(std::ranges::any_of(image().entries(), [&](const StoreImage::Entry& entry) {
      return static_cast<int>(entry.header.type) == type;
    })) << type;
}

/// Where the fields of an entry's header begin, and behind it those of a batch's, and some of the body.
constexpr std::uint64_t kFields[] = {0,  4,  8,  12,  13,  14,  16,  24,  28,  32,  48,  52,  56,  64,  68,  72,
                                     80, 88, 96, 100, 104, 105, 109, 111, 115, 123, 131, 139, 141, 145, 149, 160};

TEST(StoreDamage, AFlippedFieldOfAnEntryCostsThatEntryOnly) {
  SplitMix random(test_seed());
  for (const StoreImage::Entry& entry : chosen_entries()) {
    for (const std::uint64_t field : kFields) {
      const bool is_filler = entry.header.type == EntryType::kFiller;
      if (field >= static_cast<std::uint64_t>(is_filler ? kEntryHeaderBytes : entry.header.size_bytes)) continue;
      const auto files = image().copy();
      flip(*files, entry.path, entry.at + field, static_cast<unsigned>(random.below(8)));
      SCOPED_TRACE("type " + std::to_string(static_cast<int>(entry.header.type)) + " at " +
                   std::to_string(entry.header.position.value) + ", field " + std::to_string(field));
      for (const bool from_log_only : {false, true}) {
        const auto again = files->after_cut({CutVariant::kKeepAll, 0});
        RecoveryReport report;
        Harm harm = harm_of(entry.path, entry.at, entry.at + 1, from_log_only);
        harm.may_be_cut = entry.header.position == image().entries().back().header.position;
        ASSERT_EQ(image().judge(*again, harm, report), "");
        ASSERT_TRUE(!from_log_only || reported(report, entry.path, entry.header.position, entry.header.end()));
      }
    }
  }
}

TEST(StoreDamage, RandomBitsCostTheirEntriesOnly) {
  const std::uint64_t seed = test_seed();
  SplitMix random(seed);
  const auto paths = image().log_files();
  const std::uint64_t rounds = test_scale(150, 5000);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const auto files = image().copy();
    Harm harm;
    harm.may_be_cut = false;
    for (std::uint64_t bits = 1 + random.below(3); bits > 0; --bits) {
      const StoreImage::Entry& entry = image().entries()[random.below(image().entries().size() - 1)];
      if (entry.header.type == EntryType::kFiller) continue;
      const std::uint64_t at = entry.at + random.below(static_cast<std::uint64_t>(entry.header.size_bytes));
      flip(*files, entry.path, at, static_cast<unsigned>(random.below(8)));
      harm.ranges.push_back({entry.path, {at, at + 1}});
    }
    harm.from_log_only = random.chance(1, 2);
    RecoveryReport report;
    ASSERT_EQ(image().judge(*files, harm, report), "") << "BRAID_SEED=" << seed << ", round " << i;
    ASSERT_TRUE(!harm.from_log_only || report.has(Kind::kBadEntry) == !harm.ranges.empty());
  }
  print_count(rounds, "logs with random bits flipped");
}

/// With a checkpoint behind it nothing but the page's own batches is lost, whatever else the page held.
std::string judge_page(const std::string& path, std::uint64_t at, ByteView page) {
  const auto files = image().copy();
  if (files->damage(path, at, page).has_error()) return "damage";
  RecoveryReport report;
  Harm harm = harm_of(path, at, at + page.size(), false);
  // At the log's end, or behind it, it looks like a torn tail.
  harm.may_be_cut = path == image().entries().back().path && at + page.size() > image().entries().back().at;
  return image().judge(*files, harm, report);
}

TEST(StoreDamage, AZeroedStaleOrDuplicatedPageCostsItsOwnEntriesOnly) {
  const Bytes zeros(4096);
  for (const std::string& path : image().log_files()) {
    const auto files = image().copy();
    const Bytes now = content_of(*files, path);
    const auto before_file = image().earlier().open(path, {});
    const Bytes before = before_file.has_value() ? content_of(image().earlier(), path) : Bytes();
    for (std::uint64_t at = kSuperblockBytes; at + 4096 <= now.size(); at += 4096) {
      ASSERT_EQ(judge_page(path, at, zeros), "") << path << " at " << at << " zeroed";
      const std::uint64_t other = at == kSuperblockBytes ? at + 4096 : at - 4096;
      ASSERT_EQ(judge_page(path, at, ByteView(now).subspan(other, 4096)), "") << path << " at " << at << " duplicated";
      if (at + 4096 > before.size()) continue;
      ASSERT_EQ(judge_page(path, at, ByteView(before).subspan(at, 4096)), "") << path << " at " << at << " stale";
    }
  }
}

TEST(StoreDamage, ZeroedSectorsAreReportedWhenTheyAreScanned) {
  const Bytes zeros(512);
  std::size_t judged = 0;
  for (const StoreImage::Entry& entry : image().entries()) {
    if (entry.header.type != EntryType::kBatch || entry.header.size_bytes < 700 || ++judged % 12 != 0) continue;
    const auto files = image().copy();
    ASSERT_TRUE(files->damage(entry.path, entry.at + 100, zeros).has_value());
    RecoveryReport report;
    ASSERT_EQ(image().judge(*files, harm_of(entry.path, entry.at, entry.at + 612, true), report), "");
    ASSERT_TRUE(reported(report, entry.path, entry.header.position, entry.header.end()));
  }
}

TEST(StoreDamage, AFileCutShortCostsWhatItHeld) {
  const auto paths = image().log_files();
  for (const std::string& path : paths) {
    const bool last = path == image().entries().back().path;
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{20'001}, std::uint64_t{40'960}}) {
      const auto files = image().copy();
      const std::uint64_t whole = content_of(*files, path).size();
      ASSERT_LT(size, whole);
      ASSERT_TRUE((*files->open(path, {.mode = OpenMode::kWrite}))->truncate(size).has_value());
      RecoveryReport report;
      Harm harm = harm_of(path, size, whole, false);
      harm.may_be_cut = last;
      ASSERT_EQ(image().judge(*files, harm, report), "") << path << " of " << size << " bytes";
      EXPECT_TRUE(!last || report.findings_count > 0);
    }
  }
}

TEST(StoreDamage, AMissingFileIsReportedAndCostsWhatItHeld) {
  const std::string& last = image().entries().back().path;
  for (const std::string& path : image().log_files()) {
    if (path > last) continue;  // only prepared
    for (const bool from_log_only : {false, true}) {
      const auto files = image().copy();
      ASSERT_TRUE(files->remove_file(path).has_value());
      RecoveryReport report;
      Harm harm = harm_of(path, 0, 1 << 30, from_log_only);
      harm.may_be_cut = path == last;
      ASSERT_EQ(image().judge(*files, harm, report), "") << path;
      // Without a checkpoint nothing tells that there was something behind the last file that is left.
      const bool is_known = path < last || !from_log_only;
      EXPECT_TRUE(!is_known || report.has(path < last ? Kind::kMissingFile : Kind::kLostEnd)) << path;
    }
  }
}

TEST(StoreDamage, JunkBesideTheFilesChangesNothing) {
  for (const char* const name :
       {"commitlog/junk", "commitlog/00000000000000000000~", "commitlog/.00000000000000000000.swp",
        "commitlog/00000000000000000001", "commitlog/99999999999999999999", "commitlog/-0000000000000131072",
        "identity~", "checkpoint/2", "checkpoint/0.bak", "consumequeue/x", "consumequeue/a/junk",
        "consumequeue/a/0/junk", "cut/x"}) {
    const auto files = image().copy();
    const auto junk = files->open(name, {.mode = OpenMode::kCreateNew});
    ASSERT_TRUE(junk.has_value()) << name;
    ASSERT_TRUE((*junk)->write(0, Bytes(5000, std::byte{0x5a})).has_value());
    for (const char* const directory : {"lost+found", "commitlog/lost+found", "consumequeue/lost+found"})
      ASSERT_TRUE(files->make_directory(directory).has_value());
    for (const bool from_log_only : {false, true}) {
      const auto again = files->after_cut({CutVariant::kKeepAll, 0});
      RecoveryReport report;
      EXPECT_EQ(image().judge(*again, {.from_log_only = from_log_only}, report), "") << name;
      EXPECT_EQ(report.findings_count, 0) << name;
    }
  }
}

TEST(StoreDamage, AnyByteOfASuperblockIsRepairedAndCostsNothing) {
  for (const std::string& path : image().log_files()) {
    for (std::uint64_t at = 0; at < 48; ++at) {
      const auto files = image().copy();
      flip(*files, path, at, static_cast<unsigned>(at % 8));
      RecoveryReport report;
      ASSERT_EQ(image().judge(*files, {}, report), "") << path << " byte " << at;
      ASSERT_EQ(report.findings_count, 1);
      EXPECT_EQ(report.findings[0].kind, Kind::kBadSuperblock);
      EXPECT_EQ(report.findings[0].path, path);
      ASSERT_EQ(image().judge(*files, {}, report), "");
      EXPECT_FALSE(report.has(Kind::kBadSuperblock)) << "it was written again";
    }
  }
}

TEST(StoreDamage, ALogFileOfAnotherStoreAmongOursRefusesTheStart) {
  for (const std::string& path : image().log_files()) {
    const auto files = image().copy();
    const Superblock foreign{protocol::uuid_from_halves(99, 99), LogPosition{std::stoll(path.substr(10))}, 128 * 1024};
    ASSERT_TRUE(files->damage(path, 0, encode(foreign, 0x01020304)).has_value());
    RecoveryReport report;
    EXPECT_EQ(image().judge(*files, {}, report), "open: " + make_error_code(StorageErrc::foreign).message());
  }
}

TEST(StoreDamage, OneDamagedIdentitySlotIsRepairedAndTwoRefuseTheStart) {
  for (std::uint64_t slot = 0; slot < 2; ++slot) {
    for (std::uint64_t at = 0; at < 80; ++at) {
      const auto files = image().copy();
      flip(*files, "identity", slot * 4096 + at, static_cast<unsigned>(at % 8));
      RecoveryReport report;
      ASSERT_EQ(image().judge(*files, {}, report), "") << "slot " << slot << ", byte " << at;
      ASSERT_EQ(report.findings_count, 1);
      EXPECT_EQ(report.findings[0].kind, Kind::kBadIdentitySlot);
      flip(*files, "identity", (1 - slot) * 4096 + at, 0);
      ASSERT_EQ(image().judge(*files, {}, report), "") << "it was written again";
      flip(*files, "identity", at, 0);
      flip(*files, "identity", 4096 + at, 0);
      EXPECT_NE(image().judge(*files, {}, report), "");
    }
  }
}

}  // namespace
}  // namespace braid::storage
