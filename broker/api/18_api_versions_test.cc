#include "broker/api/18_api_versions.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "broker/api/api_table.h"
#include "broker/api/dispatch.h"
#include "broker/api/features.h"
#include "broker/api/test_node.h"
#include "protocol/base/hex.h"
#include "protocol/messages/18_api_versions.h"

namespace braid::broker {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;
using protocol::Bytes;
using protocol::ErrorCode;

constexpr std::array<Feature, 2> kFeatures = {Feature{"from.zero", 0, 2, 2}, Feature{"from.seven", 7, 33, 0}};

/// Sends one request through dispatch to this API alone.
class ApiVersions : public testing::Test {
 protected:
  std::string exchange_hex(const std::string& frame_hex) {
    Answer answer = dispatch(dispatcher_, *protocol::from_hex(frame_hex));
    if (const auto* refusal = std::get_if<Refusal>(&answer)) return "refused: " + refusal->reason;
    return protocol::to_hex(std::get<Reply>(answer).frame);
  }

  /// The answer to a well-formed request.
  ApiVersionsResponse exchange(const ApiVersionsRequest& request, std::int16_t version) {
    std::string frame = "0012" + hex16(version) + "00000007ffff" + (version >= 3 ? "00" : "");
    Bytes bytes = *protocol::from_hex(frame + protocol::to_hex(protocol::encode_to_bytes(request, version)));
    const Answer answer = dispatch(dispatcher_, std::move(bytes));
    reply_ = std::get<Reply>(answer).frame;
    protocol::Reader in(reply_);
    EXPECT_EQ(in.i32(), static_cast<std::int32_t>(reply_.size() - 4));
    EXPECT_EQ(in.i32(), 7);
    ApiVersionsResponse response;
    EXPECT_FALSE(protocol::decode(in, version, arena_, response).has_error());
    EXPECT_EQ(in.remaining(), 0U) << "a response header of version 0 has no tags";
    return response;
  }

  Answer dispatch(Dispatcher& dispatcher, Bytes frame) {
    return dispatcher.dispatch({client_, {}, ReplySlot{0}}, frame);
  }

  static std::string hex16(std::int16_t value) {
    const auto bits = static_cast<std::uint16_t>(value);
    return protocol::to_hex(Bytes{std::byte(bits >> 8), std::byte(bits & 0xFF)});
  }

  static ApiVersionsRequest named() {
    ApiVersionsRequest request;
    request.client_software_name = "apache-kafka-java";
    request.client_software_version = "4.4.0";
    return request;
  }

  BrokerFacts facts_{3, "this-cluster", kFeatures};
  TestNode node_;
  const std::array<ServedApi, 1> apis_{*find_served(served_apis(), 18)};  // so that answers stay as they are
  Dispatcher dispatcher_{apis_, facts_, node_.node()};
  ClientFacts client_;
  Bytes reply_;
  protocol::Arena arena_;
};

TEST_F(ApiVersions, AnswersEachVersionInItsOwnLayout) {
  facts_.features = {};
  // length, correlation id, error 0, one row (18, 0, 5), then the version's additions
  EXPECT_EQ(exchange_hex("0012 0000 00000007 ffff"),
            "00000010"
            "00000007"
            "0000"
            "00000001"
            "001200000005");
  EXPECT_EQ(exchange_hex("0012 0001 00000007 ffff"),
            "00000014"
            "00000007"
            "0000"
            "00000001"
            "001200000005"
            "00000000");
  EXPECT_EQ(exchange_hex("0012 0002 00000007 0000"),
            "00000014"
            "00000007"
            "0000"
            "00000001"
            "001200000005"
            "00000000");
  for (const std::string version : {"0003", "0004"}) {
    EXPECT_EQ(exchange_hex("0012" + version + "00000007 0005 6272616964 00  0263 0231 00"),
              "00000013"
              "00000007"
              "0000"
              "02"
              "001200000005"
              "00"
              "00000000"
              "00")
        << version;
  }
  EXPECT_EQ(exchange_hex("0012 0005 00000007 ffff 00  0263 0231 00 ffffffff 00"),
            "00000013"
            "00000007"
            "0000"
            "02"
            "001200000005"
            "00"
            "00000000"
            "00");
}

TEST_F(ApiVersions, AnswersAnUnknownVersionInTheOldestLayout) {
  for (const std::string version : {"0006", "007f", "7fff", "ffff", "8000"}) {
    EXPECT_EQ(exchange_hex("0012" + version + "00000007 ffff" + "aabbcc"),
              "00000010"
              "00000007"
              "0023"
              "00000001"
              "001200000005")
        << version;
  }
}

TEST_F(ApiVersions, WantsANameAndAVersionOfTheSoftware) {
  for (const std::string_view bad : {"", "-a", "a-", ".a", "a.", "a b", "a_b", "a\xC3\xA9", "a\n"}) {
    ApiVersionsRequest request = named();
    request.client_software_name = bad;
    EXPECT_EQ(exchange(request, 3).error_code, ErrorCode::kInvalidRequest) << bad;
    request = named();
    request.client_software_version = bad;
    EXPECT_EQ(exchange(request, 4).error_code, ErrorCode::kInvalidRequest) << bad;
  }
  for (const std::string_view good : {"a", "1", "a.b", "a--b", "Z9"}) {
    ApiVersionsRequest request = named();
    request.client_software_version = good;
    EXPECT_EQ(exchange(request, 3).error_code, ErrorCode::kNone) << good;
    EXPECT_EQ(client_.software_version, good);
  }
}

TEST_F(ApiVersions, KeepsOnlyTheBeginningOfALongName) {
  const std::string name(1000, 'a');
  ApiVersionsRequest request = named();
  request.client_software_name = name;
  EXPECT_EQ(exchange(request, 3).error_code, ErrorCode::kNone);
  EXPECT_EQ(client_.software_name.size(), 64U);
}

TEST_F(ApiVersions, LeavesOutFeaturesFromLevelZeroForClientsThatCantReadThem) {
  const ApiVersionsResponse old = exchange(named(), 3);
  ASSERT_EQ(old.supported_features.size(), 1U);
  EXPECT_EQ(old.supported_features[0].name, "from.seven");
  const ApiVersionsResponse recent = exchange(named(), 4);
  ASSERT_EQ(recent.supported_features.size(), 2U);
  EXPECT_EQ(recent.supported_features[0].name, "from.zero");
  EXPECT_EQ(recent.supported_features[0].max_version, 2);
  ASSERT_EQ(recent.finalized_features.size(), 1U);
  EXPECT_EQ(recent.finalized_features[0].name, "from.zero");
  EXPECT_EQ(recent.finalized_features[0].max_version_level, 2);
  EXPECT_GE(recent.finalized_features_epoch, 0);
}

TEST_F(ApiVersions, ListsNoFeatureAndNoEpochWhileNoneWorks) {
  EXPECT_TRUE(served_features().empty());
  facts_.features = served_features();
  const ApiVersionsResponse response = exchange(named(), 5);
  EXPECT_EQ(response.finalized_features_epoch, -1);
  EXPECT_TRUE(response.supported_features.empty());
}

struct TargetCase {
  std::optional<std::string_view> cluster_id;
  std::int32_t node_id;
  ErrorCode code;
};

TEST_F(ApiVersions, TellsAClientThatMeansAnotherBrokerToStartAgain) {
  for (const TargetCase& given :
       {TargetCase{std::nullopt, -1, ErrorCode::kNone}, TargetCase{"this-cluster", 3, ErrorCode::kNone},
        TargetCase{"this-cluster", 4, ErrorCode::kRebootstrapRequired},
        TargetCase{"other", 3, ErrorCode::kRebootstrapRequired},
        TargetCase{"this-cluster", -1, ErrorCode::kInvalidRequest},
        TargetCase{std::nullopt, 3, ErrorCode::kInvalidRequest}}) {
    ApiVersionsRequest request = named();
    request.cluster_id = given.cluster_id;
    request.node_id = given.node_id;
    EXPECT_EQ(exchange(request, 5).error_code, given.code) << given.cluster_id.value_or("null") << given.node_id;
  }
}

TEST_F(ApiVersions, AdvertisesAMinimumBelowTheServedOneWhereTheTableSaysSo) {
  const protocol::Api* produce = protocol::find_api(0);
  ASSERT_NE(produce, nullptr);
  const ServedApi own = *find_served(served_apis(), ApiVersionsRequest::kApiKey);
  const std::array apis = {ServedApi{produce, 3, 13, 0, false, false, Access::kBeforeLogin, own.handler}, own};
  Dispatcher both(apis, facts_, node_.node());
  const Answer answer = dispatch(both, *protocol::from_hex("0012 0000 00000007 ffff"));
  EXPECT_EQ(protocol::to_hex(std::get<Reply>(answer).frame),
            "00000016"
            "00000007"
            "0000"
            "00000002"
            "00000000000d"
            "001200000005");
  EXPECT_TRUE(std::holds_alternative<Refusal>(dispatch(both, *protocol::from_hex("0000 0002 00000007 ffff"))))
      << "it is advertised, and refused";
}

TEST_F(ApiVersions, SkipsUnknownTagsAndIgnoresWhatFollowsTheBody) {
  const std::string answer = exchange_hex("0012 0003 00000007 ffff 00  0263 0231 00");
  // Header with tag 9 of two bytes; body with the tags 7, 7 and 3: repeated, out of order.
  EXPECT_EQ(exchange_hex("0012 0003 00000007 ffff 01 09 02 aaaa  0263 0231 03 07 01 aa 07 00 03 01 bb"), answer);
  EXPECT_EQ(exchange_hex("0012 0003 00000007 ffff 00  0263 0231 00 deadbeef"), answer);
}

TEST_F(ApiVersions, RefusesABodyCutAtAnyByte) {
  const std::string whole =
      "0012000500000007"
      "0005"
      "6272616964"
      "00"
      "0263"
      "0231"
      "0263"
      "00000003"
      "00";
  for (std::size_t bytes = 0; bytes < whole.size() / 2; ++bytes)
    EXPECT_TRUE(exchange_hex(whole.substr(0, bytes * 2)).starts_with("refused")) << bytes;
  EXPECT_FALSE(exchange_hex(whole).starts_with("refused"));
}

}  // namespace
}  // namespace braid::broker
