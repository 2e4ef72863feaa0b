// Every message in every version, whatever it is: defaults round-trip, and no bytes bring a decoder down.
#include "protocol/messages/registry.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "protocol/base/hex.h"
#include "protocol/messages/api.h"
#include "protocol/messages/encode_fault.h"

namespace braid::protocol {
namespace {

/// Calls `visit(message, version)` for all of them.
template <class Visit>
void for_each_version(Visit visit) {
  for (const RegisteredMessage* message : registered_messages()) {
    for (std::int16_t version = message->version_min; version <= message->version_max; ++version)
      visit(*message, version);
  }
}

std::string label(const RegisteredMessage& message, std::int16_t version) {
  return std::string(message.name) + " version " + std::to_string(version);
}

TEST(Registry, HoldsARequestAndAResponseForEachApi) {
  for (const Api& api : all_apis()) {
    for (const MessageKind kind : {MessageKind::kRequest, MessageKind::kResponse}) {
      const RegisteredMessage* const message = find_message(static_cast<std::int16_t>(api.key), kind);
      ASSERT_NE(message, nullptr) << api.name;
      EXPECT_EQ(message->version_min, api.version_min) << api.name;
      EXPECT_EQ(message->version_max, api.version_max_unstable) << api.name;
    }
  }
}

TEST(Registry, FindsByNameAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (const RegisteredMessage* message : registered_messages()) {
    EXPECT_TRUE(names.insert(message->name).second) << message->name;
    EXPECT_EQ(find_message(message->name), message);
  }
  EXPECT_EQ(find_message("nothing"), nullptr);
  EXPECT_EQ(find_message(52, MessageKind::kRequest), nullptr) << "not imported";
  for (const char* name : {"request_header", "response_header", "consumer_protocol_assignment", "group_metadata_value",
                           "transaction_log_key", "share_snapshot_value", "leader_change_message", "voters_record"})
    EXPECT_NE(find_message(name), nullptr) << name;
}

TEST(EveryMessage, WithDefaultsEncodesWithoutFaultAndDecodesToTheSame) {
  const std::uint64_t faults = encode_fault_count();
  Arena arena;
  for_each_version([&](const RegisteredMessage& message, std::int16_t version) {
    const Bytes bytes = message.encode_default(version);
    const Result<Bytes> again = message.recode(bytes, version, arena);
    ASSERT_TRUE(again.has_value()) << label(message, version);
    EXPECT_EQ(to_hex(*again), to_hex(bytes)) << label(message, version);
    EXPECT_TRUE(message.json(bytes, version, arena).has_value()) << label(message, version);
  });
  EXPECT_EQ(encode_fault_count(), faults);
}

TEST(EveryMessage, CutShortAnywhereIsMalformed) {
  Arena arena;
  for_each_version([&](const RegisteredMessage& message, std::int16_t version) {
    const Bytes bytes = message.encode_default(version);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));  // exact, for AddressSanitizer
      const Result<Bytes> recoded = message.recode(cut, version, arena);
      ASSERT_TRUE(recoded.has_error()) << label(message, version) << " cut to " << size;
      EXPECT_EQ(recoded.error(), make_error_code(Errc::malformed));
    }
  });
}

TEST(EveryMessage, RefusesVersionsThatItLacks) {
  Arena arena;
  for (const RegisteredMessage* message : registered_messages()) {
    for (const int version : {message->version_min - 1, message->version_max + 1}) {
      const Result<Bytes> recoded = message->recode({}, static_cast<std::int16_t>(version), arena);
      ASSERT_TRUE(recoded.has_error());
      EXPECT_EQ(recoded.error(), make_error_code(Errc::unsupported_version)) << label(*message, message->version_min);
    }
  }
}

TEST(EveryMessage, MadeOfRandomBytesIsAnErrorOrReachesAFixedPoint) {
  const std::uint64_t seed = 20240117;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Arena arena;
  std::size_t decoded = 0;
  for_each_version([&](const RegisteredMessage& message, std::int16_t version) {
    for (int round = 0; round < 100; ++round) {
      Bytes bytes(random() % 200);
      // Small numbers, so that lengths and counts often make sense.
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? random() % 256 : random() % 4);
      const Result<Bytes> first = message.recode(bytes, version, arena);
      if (first.has_error()) continue;
      ++decoded;
      const Result<Bytes> second = message.recode(*first, version, arena);
      ASSERT_TRUE(second.has_value()) << label(message, version) << ' ' << to_hex(bytes);
      ASSERT_EQ(to_hex(*second), to_hex(*first)) << label(message, version) << ' ' << to_hex(bytes);
    }
  });
  EXPECT_GT(decoded, 1000U);
}

}  // namespace
}  // namespace braid::protocol
