#include "broker/api/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "broker/api/test_node.h"
#include "protocol/base/hex.h"

namespace braid::broker {
namespace {

const BrokerFacts kFacts{1, "cluster", {}};

std::string reason_for(const std::string& frame_hex) {
  TestNode node;
  Dispatcher dispatcher(served_apis(), kFacts, node.node());
  ClientFacts client;
  protocol::Bytes frame = *protocol::from_hex(frame_hex);
  const Answer answer = dispatcher.dispatch({client, {}, ReplySlot{0}}, frame);
  const auto* refusal = std::get_if<Refusal>(&answer);
  return refusal != nullptr ? refusal->reason : "";
}

TEST(Dispatch, RefusesWhatHasNoHeader) {
  for (const std::string frame : {"", "00", "001200"}) EXPECT_NE(reason_for(frame), "") << frame;
  EXPECT_TRUE(reason_for("0012 0000 000000").starts_with("a malformed request header: "));
}

TEST(Dispatch, RefusesAKeyThatIsNotServedAndNamesIt) {
  EXPECT_EQ(reason_for("003a 0000 00000001 ffff 00"), "a request that is not served (key 58, version 0)");
  EXPECT_EQ(reason_for("0000 0002 00000001 ffff"), "a version that is not served (key 0, version 2)");
  EXPECT_EQ(reason_for("ffff 0000 00000001 ffff"), "a request that is not served (key -1, version 0)");
}

TEST(Dispatch, TakesNullAndEmptyClientIdsAndRefusesOtherLengths) {
  EXPECT_EQ(reason_for("0012 0000 00000001 ffff"), "");
  EXPECT_EQ(reason_for("0012 0000 00000001 0000"), "");
  for (const std::string length : {"fffe", "8000", "0001", "7fff"})
    EXPECT_NE(reason_for("0012 0000 00000001" + length), "") << length;
}

TEST(Dispatch, RefusesHeaderTagsThatDoNotFit) {
  for (const std::string tags : {"", "01", "0100", "010001", "ffffffff0f", "8080808080", "808080808000"})
    EXPECT_NE(reason_for("0012 0003 00000001 ffff" + tags), "") << tags;
}

TEST(ApiTable, HasRowsByRisingKeyWithinWhatTheProtocolHas) {
  std::int16_t last = -1;
  for (const ServedApi& served : served_apis()) {
    const auto key = static_cast<std::int16_t>(served.api->key);
    EXPECT_GT(key, last);
    last = key;
    EXPECT_GE(served.served_min, served.api->version_min);
    EXPECT_LE(served.served_max, served.api->version_max);
    EXPECT_LE(served.advertised_min, served.served_min);
    EXPECT_TRUE(served.api->on_broker);
    EXPECT_NE(served.handler, nullptr);
    EXPECT_EQ(find_served(served_apis(), key), &served);
  }
  EXPECT_EQ(find_served(served_apis(), 17), nullptr);
  EXPECT_EQ(find_served(served_apis(), 58), nullptr);
}

}  // namespace
}  // namespace braid::broker
