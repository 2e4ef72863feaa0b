#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/groups/group_record.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::broker {

/// What the records of one internal partition say: each group's last description and its committed offsets. Only
/// replay() changes it, so that a start reaches the same state. One thread.
class DurableGroups {
 public:
  using Partitions = std::map<std::int32_t, CommittedOffset>;
  using Topics = std::map<std::string, Partitions, std::less<>>;
  struct DurableGroup {
    std::optional<protocol::Bytes> metadata;  // the value as it was written; none: no member has ever joined
    Topics offsets;
  };
  using Groups = std::map<std::string, DurableGroup, std::less<>>;

  /// Keys of other kinds change nothing. Errc::malformed, Errc::unsupported_version: nothing changed either.
  protocol::Result<void> replay(protocol::ByteView key, const std::optional<protocol::ByteView>& value);

  const Groups& groups() const { return groups_; }
  /// Null when no record names it any more.
  const DurableGroup* find(std::string_view group) const;
  /// Null when there is none.
  const CommittedOffset* find_offset(std::string_view group, std::string_view topic, std::int32_t partition) const;
  std::size_t offset_count() const { return offset_count_; }
  /// Keys and values of all that is alive.
  std::int64_t live_bytes() const { return live_bytes_; }

  /// Records that say again what is known of the groups behind `after` (none: from the first), some `bytes_max` of them
  /// but whole groups; and the last of these groups, none when there is nothing behind it.
  struct Piece {
    std::vector<GroupRecord> records;
    std::optional<std::string> last;
  };
  Piece records_after(const std::optional<std::string>& after, std::size_t bytes_max) const;

 private:
  protocol::Result<void> replay_offset(const OffsetKey& key, const std::optional<protocol::ByteView>& value);
  protocol::Result<void> replay_group(const GroupKey& key, const std::optional<protocol::ByteView>& value);
  void drop_if_empty(Groups::iterator group);

  Groups groups_;
  std::size_t offset_count_ = 0;
  std::int64_t live_bytes_ = 0;
};

}  // namespace braid::broker
