#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/messages/error_code.h"

namespace braid::broker {

/// The errors of one reply, for the metrics. A reply has one or two kinds of them; of more than fit, the others count
/// as the last kind that did. A value.
class ErrorTally {
 public:
  struct Kind {
    protocol::ErrorCode code = protocol::ErrorCode::kNone;
    std::uint32_t count = 0;
  };

  void add(protocol::ErrorCode code) {
    if (code == protocol::ErrorCode::kNone) return;
    std::size_t place = 0;
    while (place < used_ && kinds_[place].code != code) ++place;
    if (place == kinds_.size()) place = kinds_.size() - 1;
    if (place == used_) kinds_[used_++].code = code;
    ++kinds_[place].count;
  }
  std::span<const Kind> kinds() const { return std::span(kinds_).first(used_); }

 private:
  std::array<Kind, 4> kinds_{};
  std::size_t used_ = 0;
};

/// Counts the error codes of a message: its own, and those of the elements of its arrays, by the names that these have
/// in the protocol.
template <class Message>
void tally_errors(const Message& message, ErrorTally& tally) {
  const auto each = [&](const auto& elements) {
    if constexpr (requires { elements.has_value(); }) {
      if (!elements.has_value()) return;
      for (const auto& element : *elements) tally_errors(element, tally);
    } else if constexpr (requires { elements.begin(); }) {
      for (const auto& element : elements) tally_errors(element, tally);
    }
  };
  if constexpr (requires { tally.add(message.error_code); }) tally.add(message.error_code);
  if constexpr (requires { message.responses; }) each(message.responses);
  if constexpr (requires { message.partition_responses; }) each(message.partition_responses);
  if constexpr (requires { message.topics; }) each(message.topics);
  if constexpr (requires { message.partitions; }) each(message.partitions);
  if constexpr (requires { message.results; }) each(message.results);
  if constexpr (requires { message.groups; }) each(message.groups);
  if constexpr (requires { message.coordinators; }) each(message.coordinators);
  if constexpr (requires { message.members; }) each(message.members);
  if constexpr (requires { message.entries; }) each(message.entries);
  if constexpr (requires { message.markers; }) each(message.markers);
  if constexpr (requires { message.transaction_states; }) each(message.transaction_states);
  if constexpr (requires { message.filter_results; }) each(message.filter_results);
  if constexpr (requires { message.matching_acls; }) each(message.matching_acls);
  if constexpr (requires { message.replica_election_results; }) each(message.replica_election_results);
  if constexpr (requires { message.partition_result; }) each(message.partition_result);
}

}  // namespace braid::broker
