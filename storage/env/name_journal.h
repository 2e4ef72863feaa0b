#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/env/power_cut.h"
#include "storage/env/split_mix.h"

namespace braid::storage {

/// A file or directory of a MemoryDisk, whatever its names.
struct Node {
  std::uint64_t id = 0;
  bool is_directory = false;
  bool operator==(const Node&) const = default;
};

inline constexpr Node kRootNode{0, true};

/// One name in one directory, set or taken away.
struct NameEdit {
  std::uint64_t directory = 0;
  std::string name;
  std::optional<Node> node;  // none: the name goes away
};

/// Edits that a crash keeps or loses together: a rename has two, everything else one.
using NameChange = std::vector<NameEdit>;

/// Which names lead to which nodes. Copies share directories. A value; one thread at a time.
class NameTree {
 public:
  using Directory = std::map<std::string, Node, std::less<>>;

  /// The names of a directory; none for a directory that never had one.
  const Directory& names(std::uint64_t directory) const;
  void apply(const NameChange& change);
  /// Ids of everything that has a path from the root.
  std::set<std::uint64_t> reachable() const;

 private:
  std::map<std::uint64_t, std::shared_ptr<const Directory>> directories_;
};

/// The names of a MemoryDisk as seen, as on the disk, and the changes between, per directory: a directory's sync makes
/// its changes durable, and those of other directories that they build on. A value; one thread at a time.
class NameJournal {
 public:
  const NameTree& seen() const { return seen_; }

  void change(NameChange change);
  void sync(std::uint64_t directory);
  void sync_all();
  void cut(CutVariant variant, SplitMix& random);

  /// Ids that a path leads to now, on the disk, or after some of the changes between.
  std::set<std::uint64_t> needed() const;

 private:
  NameTree seen_;
  NameTree on_disk_;
  std::vector<NameChange> unsynced_;
};

}  // namespace braid::storage
