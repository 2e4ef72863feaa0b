// Random workloads, each cut at every change in one variant after the other: what a sync covered is there, whatever
// else is lost, and no byte is there that nobody wrote. BRAID_SEED repeats a run, BRAID_WORKLOADS lengthens it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/split_mix.h"

namespace braid::storage {
namespace {

constexpr std::size_t kSector = 512;
constexpr std::size_t kSectorsMax = 40;  // of a file: five pages

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// What is known about one file: for each sector the letter that the last sync covered, and all written since.
struct KnownFile {
  struct Sector {
    char synced = '\0';
    std::set<char> since;
  };
  std::array<Sector, kSectorsMax> sectors;
  std::array<char, kSectorsMax> now{};
  std::size_t synced_sectors = 0;  // length
  std::size_t now_sectors = 0;
};

/// A workload over files "0".."3" whose names are durable from the start, and names "n0".."n3" that come and go. Files
/// are written in whole sectors of one letter; they only grow.
class Workload {
 public:
  explicit Workload(std::uint64_t seed) : random_(seed) {
    for (std::size_t file = 0; file < kFiles; ++file) put_text(files_, std::to_string(file), 0, "");
    expect_ok(files_.sync_all());
  }

  MemoryFileSystem& files() { return files_; }

  void step() {
    const std::size_t file = random_.below(kFiles);
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        return write(file);
      case 3:
        return sync(file);
      case 4:
        return create_name();
      case 5:
        return remove_name();
      case 6:
        return sync_names();
      default:
        return random_.chance(1, 8) ? sync_all() : write(file);
    }
  }

  /// Why `found` breaks a promise, or "".
  std::string broken_promise(MemoryFileSystem& found) const {
    for (std::size_t file = 0; file < kFiles; ++file)
      if (std::string broken = broken_file(known_[file], text_of(found, std::to_string(file))); !broken.empty())
        return "file " + std::to_string(file) + ": " + broken;
    const std::vector<std::string> names = names_in(found, "");
    for (const auto& [name, may_be] : names_) {
      const bool is = std::ranges::find(names, name) != names.end();
      if (!may_be.contains(is)) return name + (is ? " is there" : " is missing");
    }
    return "";
  }

 private:
  static constexpr std::size_t kFiles = 4;

  static std::string broken_file(const KnownFile& known, const std::string& text) {
    if (text.size() % kSector != 0) return "a length of " + std::to_string(text.size());
    if (text.size() < known.synced_sectors * kSector) return "shorter than was synced";
    if (text.size() > known.now_sectors * kSector) return "longer than ever";
    for (std::size_t i = 0; i < text.size() / kSector; ++i) {
      const std::string_view sector = std::string_view(text).substr(i * kSector, kSector);
      if (sector.substr(1) != sector.substr(0, kSector - 1)) return "a torn sector " + std::to_string(i);
      const KnownFile::Sector& may_be = known.sectors[i];
      if (sector[0] != may_be.synced && !may_be.since.contains(sector[0]))
        return "a foreign sector " + std::to_string(i);
    }
    return "";
  }

  void write(std::size_t file) {
    KnownFile& known = known_[file];
    const std::size_t begin = random_.below(std::min(known.now_sectors + 3, kSectorsMax));
    const std::size_t end = begin + 1 + random_.below(std::min<std::size_t>(kSectorsMax - begin, 12));
    const char letter = static_cast<char>('a' + letters_++ % 26);
    // Before the write: a cut in it may show some of it.
    for (std::size_t i = begin; i < end; ++i) {
      known.sectors[i].since.insert(letter);
      known.now[i] = letter;
    }
    known.now_sectors = std::max(known.now_sectors, end);
    put_text(files_, std::to_string(file), begin * kSector, std::string((end - begin) * kSector, letter));
  }

  void mark_synced(KnownFile& known) {
    for (std::size_t i = 0; i < known.now_sectors; ++i) known.sectors[i] = {known.now[i], {}};
    known.synced_sectors = known.now_sectors;
  }

  void sync(std::size_t file) {
    sync_file(files_, std::to_string(file));
    mark_synced(known_[file]);
  }

  std::string some_name() { return "n" + std::to_string(random_.below(4)); }

  void create_name() {
    const std::string name = some_name();
    names_.try_emplace(name, std::set<bool>{false}).first->second.insert(true);
    put_text(files_, name, 0, "");
  }

  void remove_name() {
    const std::string name = some_name();
    if (files_.open(name, {}).has_error()) return;
    names_[name].insert(false);
    expect_ok(files_.remove_file(name));
  }

  void mark_names_synced() {
    const std::vector<std::string> names = names_in(files_, "");
    for (auto& [name, may_be] : names_) may_be = {std::ranges::find(names, name) != names.end()};
  }

  void sync_names() {
    expect_ok(files_.sync_directory(""));
    mark_names_synced();
  }

  void sync_all() {
    expect_ok(files_.sync_all());
    for (KnownFile& known : known_) mark_synced(known);
    mark_names_synced();
  }

  SplitMix random_;
  MemoryFileSystem files_;
  std::array<KnownFile, kFiles> known_;
  std::map<std::string, std::set<bool>> names_;  // whether each may be there after a cut
  std::uint64_t letters_ = 0;
};

constexpr std::size_t kSteps = 24;

/// Runs a workload with a cut before each change; the first broken promise, or "". Counts the cuts.
std::string run(std::uint64_t seed, Lies lies, std::uint64_t& cuts) {
  Workload workload(seed);
  SplitMix random(~seed);
  workload.files().tell(lies);
  std::string broken;
  workload.files().observe([&](const MemoryCall& call) {
    if (!call.changes_disk || !broken.empty()) return;
    ++cuts;
    const PowerCut cut{kCutVariants[random.below(kCutVariants.size())], random.next()};
    const auto found = workload.files().after_cut(cut);
    broken = workload.broken_promise(*found);
    if (!broken.empty()) broken += std::string(", after ") + std::string(name_of(cut.variant));
  });
  for (std::size_t step = 0; step < kSteps && broken.empty(); ++step) workload.step();
  workload.files().observe(nullptr);
  return broken;
}

std::uint64_t first_seed() { return number_from_environment("BRAID_SEED", std::random_device{}()); }

/// The workloads are in parts, so that they run side by side and none comes near ctest's time limit under a sanitizer.
class PowerCutPropertyPart : public testing::TestWithParam<int> {};

TEST_P(PowerCutPropertyPart, WhatWasSyncedIsThereAfterEveryCut) {
  const std::uint64_t seed = first_seed();
  const std::uint64_t workloads = number_from_environment("BRAID_WORKLOADS", 2'500);
  std::uint64_t cuts = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < workloads; ++i)
    ASSERT_EQ(run(seed + i, {}, cuts), "") << "BRAID_SEED=" << seed + i << " BRAID_WORKLOADS=1 repeats it";
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "seed " << seed << ": " << workloads << " workloads, " << cuts << " power cuts, "
            << static_cast<std::uint64_t>(static_cast<double>(cuts) / took.count()) << " a second\n";
  EXPECT_GT(cuts, workloads * 10);
}

INSTANTIATE_TEST_SUITE_P(Parts, PowerCutPropertyPart, testing::Range(0, 4));

TEST(PowerCutProperty, AForgottenSyncIsFoundSoon) {
  const std::uint64_t seed = first_seed();
  for (const Lies lies : {Lies{.sync = true}, Lies{.sync_directory = true}}) {
    std::uint64_t cuts = 0;
    std::uint64_t tried = 0;
    while (tried < 100 && run(seed + tried, lies, cuts).empty()) ++tried;
    EXPECT_LT(tried, 100U) << "a control that must fail passed, BRAID_SEED=" << seed;
  }
}

}  // namespace
}  // namespace braid::storage
