#pragma once

#include <map>
#include <string>
#include <string_view>

#include "protocol/base/uuid.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/log_scan.h"
#include "storage/inspect/inspect.h"
#include "storage/types.h"

/// Entries of the log in words. Pure; one thread.
namespace braid::storage {

/// Names of topics, which only a few entries say. As many as there are topics in what was read.
class TopicNames {
 public:
  void add(const TopicId& id, std::string_view name);
  /// From an entry that says one: created, snapshot.
  void learn(const LogScan::Found& found);
  /// "" when nothing said it.
  std::string_view name_of(const TopicId& id) const;
  /// "orders-0", or "Ab3…-0" with the id where the name is not known.
  std::string partition(const TopicId& id, QueueId queue) const;

 private:
  std::map<TopicId, std::string> names_;
};

/// batch, filler, created, …, as docs/formats/commit_log.md calls them.
std::string_view name_of(EntryType type);

/// What is wrong with an entry whose header is whole and whose payload is not.
std::string payload_fault(const LogScan::Found& found);

/// What an entry says, in one line without line feed.
std::string meaning_of(const LogScan::Found& found, const TopicNames& names);

/// Milliseconds since 1970 as 2023-11-14T22:13:20.000Z; "none" for -1, and the number itself where no calendar goes.
std::string time_text(std::int64_t milliseconds);

/// The row of an entry, and the heading over such rows.
std::string entry_row(InspectFormat format, const LogScan::Found& found, std::string_view path, std::int64_t at,
                      const TopicNames& names);
std::string entry_heading();

}  // namespace braid::storage
