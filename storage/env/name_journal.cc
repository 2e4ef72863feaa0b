#include "storage/env/name_journal.h"

#include <algorithm>
#include <utility>

namespace braid::storage {
namespace {

bool touches(const NameChange& change, const std::set<std::uint64_t>& directories) {
  return std::ranges::any_of(change, [&](const NameEdit& edit) { return directories.contains(edit.directory); });
}

void add_directories(const NameChange& change, std::set<std::uint64_t>& directories) {
  for (const NameEdit& edit : change) directories.insert(edit.directory);
}

}  // namespace

const NameTree::Directory& NameTree::names(std::uint64_t directory) const {
  static const Directory empty;
  const auto found = directories_.find(directory);
  return found == directories_.end() ? empty : *found->second;
}

void NameTree::apply(const NameChange& change) {
  for (const NameEdit& edit : change) {
    auto changed = std::make_shared<Directory>(names(edit.directory));
    if (edit.node)
      changed->insert_or_assign(edit.name, *edit.node);
    else
      changed->erase(edit.name);
    // One without names needs no entry; so what is removed leaves nothing behind.
    if (changed->empty())
      directories_.erase(edit.directory);
    else
      directories_.insert_or_assign(edit.directory, std::move(changed));
  }
}

std::set<std::uint64_t> NameTree::reachable() const {
  std::set<std::uint64_t> found{kRootNode.id};
  std::vector<std::uint64_t> to_visit{kRootNode.id};
  while (!to_visit.empty()) {
    const std::uint64_t directory = to_visit.back();
    to_visit.pop_back();
    for (const auto& [name, node] : names(directory))
      if (found.insert(node.id).second && node.is_directory) to_visit.push_back(node.id);
  }
  return found;
}

void NameJournal::change(NameChange change) {
  seen_.apply(change);
  unsynced_.push_back(std::move(change));
}

void NameJournal::sync(std::uint64_t directory) {
  std::set<std::uint64_t> directories{directory};
  std::vector<bool> durable(unsynced_.size(), false);
  // Backwards: a rename from elsewhere needs what was done there before it, and not what came after.
  for (std::size_t i = unsynced_.size(); i-- > 0;) {
    durable[i] = touches(unsynced_[i], directories);
    if (durable[i]) add_directories(unsynced_[i], directories);
  }
  std::vector<NameChange> left;
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    if (durable[i])
      on_disk_.apply(unsynced_[i]);
    else
      left.push_back(std::move(unsynced_[i]));
  }
  unsynced_ = std::move(left);
}

void NameJournal::sync_all() {
  for (const NameChange& change : unsynced_) on_disk_.apply(change);
  unsynced_.clear();
}

void NameJournal::cut(CutVariant variant, SplitMix& random) {
  if (variant == CutVariant::kKeepAll) return;
  const bool keeps_all = variant == CutVariant::kTornPage || variant == CutVariant::kLengthWithoutBytes;
  const bool keeps_some = variant == CutVariant::kRandomPages || variant == CutVariant::kReorderedFiles ||
                          (variant == CutVariant::kNamesLost && random.chance(1, 2));
  std::set<std::uint64_t> lost_from_here;  // directories of which one change is lost lose the later ones too
  for (const NameChange& change : unsynced_) {
    const bool kept = keeps_all || (keeps_some && random.chance(3, 4));
    if (kept && !touches(change, lost_from_here))
      on_disk_.apply(change);
    else
      add_directories(change, lost_from_here);
  }
  seen_ = on_disk_;
  unsynced_.clear();
}

std::set<std::uint64_t> NameJournal::needed() const {
  std::set<std::uint64_t> ids = seen_.reachable();
  ids.merge(on_disk_.reachable());
  for (const NameChange& change : unsynced_)
    for (const NameEdit& edit : change)
      if (edit.node) ids.insert(edit.node->id);
  return ids;
}

}  // namespace braid::storage
