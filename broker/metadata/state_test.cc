// The metadata state is a function of its records: whatever order of questions, the same records give the same state.
#include "broker/metadata/state.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "protocol/base/errc.h"
#include "protocol/base/hex.h"
#include "storage/commitlog/document_example.h"

namespace braid::broker {
namespace {

const protocol::Uuid kOrders = protocol::uuid_from_halves(7, 1);
const protocol::Uuid kPayments = protocol::uuid_from_halves(7, 2);

class MetadataStateTest : public testing::Test {
 protected:
  void replay(const std::vector<MetadataRecord>& records) {
    for (const MetadataRecord& record : records) ASSERT_TRUE(state_.replay(record).has_value());
  }
  const TopicImage* find(std::string_view name) const { return state_.image()->find(name); }

  const Config config_;
  MetadataState state_{config_};
};

TEST_F(MetadataStateTest, KnowsATopicWithItsConfiguration) {
  replay(records_of_topic(kOrders, "orders", 3, {{"max.message.bytes", "100"}}));
  ASSERT_NE(find("orders"), nullptr);
  EXPECT_EQ(find("orders"), state_.image()->find(kOrders));
  EXPECT_EQ(find("orders")->partition_count, 3);
  EXPECT_EQ(find("orders")->settings->rules.batch_bytes_max, 100U);
  EXPECT_EQ(state_.image()->partition_count, 3U);
}

TEST_F(MetadataStateTest, ChangesOnlyWhatARecordSays) {
  replay(records_of_topic(kOrders, "orders", 3, {{"max.message.bytes", "100"}}));
  replay({record_of_config("orders", "flush.mode", "async"), record_of_partition_count(*find("orders"), 5)});
  EXPECT_EQ(find("orders")->partition_count, 5);
  EXPECT_EQ(find("orders")->configs, (TopicConfigs{{"flush.mode", "async"}, {"max.message.bytes", "100"}}));
  EXPECT_EQ(find("orders")->settings->durability, storage::Durability::kWritten);
  replay({record_of_config("orders", "max.message.bytes", std::nullopt)});
  EXPECT_EQ(find("orders")->configs, (TopicConfigs{{"flush.mode", "async"}}));
  EXPECT_EQ(find("orders")->settings->rules.batch_bytes_max, 1'048'588U);
  EXPECT_EQ(state_.image()->partition_count, 5U);
}

TEST_F(MetadataStateTest, ForgetsARemovedTopicForGood) {
  replay(records_of_topic(kOrders, "orders", 3, {{"max.message.bytes", "100"}}));
  replay({record_of_removal(kOrders), record_of_removal(kOrders), record_of_config("orders", "flush.mode", "async")});
  EXPECT_EQ(find("orders"), nullptr);
  EXPECT_EQ(state_.image()->find(kOrders), nullptr);
  EXPECT_EQ(state_.image()->partition_count, 0U);
  replay(records_of_topic(kPayments, "orders", 1, {}));
  EXPECT_EQ(find("orders")->id, kPayments);
  EXPECT_TRUE(find("orders")->configs.empty()) << "nothing of the earlier topic of that name is left";
}

TEST_F(MetadataStateTest, LeavesReadersTheImageThatTheyHave) {
  replay(records_of_topic(kOrders, "orders", 3, {}));
  const auto before = state_.image();
  replay({record_of_removal(kOrders)});
  EXPECT_NE(before->find("orders"), nullptr);
  EXPECT_EQ(find("orders"), nullptr);
}

TEST_F(MetadataStateTest, CanBeSaidAgainInItsOwnRecords) {
  replay({record_of_cluster("a-cluster"), record_of_producer_ids(3000)});
  replay(records_of_topic(kOrders, "orders", 3, {{"flush.mode", "async"}, {"retention.ms", "5"}}));
  replay(records_of_topic(kPayments, "payments", 1, {}));
  replay({record_of_partition_count(*find("payments"), 9)});
  MetadataState again(config_);
  for (const MetadataRecord& record : state_.all_records()) ASSERT_TRUE(again.replay(record).has_value());
  EXPECT_EQ(again.cluster_id(), "a-cluster");
  EXPECT_EQ(again.next_producer_id(), 3000);
  EXPECT_EQ(again.image()->partition_count, 12U);
  EXPECT_EQ(again.image()->find("orders")->configs, find("orders")->configs);
  EXPECT_EQ(again.image()->find("payments")->partition_count, 9);
  EXPECT_EQ(again.all_records(), state_.all_records());
}

protocol::Bytes documented(std::string_view example) {
  protocol::Bytes bytes;
  for (const auto& line : storage::hex_examples("docs/formats/metadata_log.md", "hex " + std::string(example)))
    bytes.insert(bytes.end(), line.bytes.begin(), line.bytes.end());
  return bytes;
}

TEST_F(MetadataStateTest, WritesItsRecordsAsTheDocumentShows) {
  const auto records = records_of_topic(kOrders, "orders", 2, {{"flush.mode", "async"}});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(protocol::to_hex(records[0]), protocol::to_hex(documented("topic")));
  EXPECT_EQ(protocol::to_hex(records[1]), protocol::to_hex(documented("value")));
  EXPECT_EQ(protocol::to_hex(record_of_producer_ids(1000)), protocol::to_hex(documented("producer ids")));
}

TEST_F(MetadataStateTest, RefusesWhatItDoesNotKnow) {
  MetadataRecord unknown_type = record_of_removal(kOrders);
  unknown_type[1] = std::byte{99};
  EXPECT_TRUE(state_.replay(unknown_type).has_error());
  MetadataRecord later_version = record_of_removal(kOrders);
  later_version[3] = std::byte{1};
  EXPECT_EQ(state_.replay(later_version).error(), make_error_code(protocol::Errc::unsupported_version));
  const MetadataRecord whole = record_of_config("orders", "flush.mode", "async");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(state_.replay(protocol::ByteView(whole).first(size)).has_error()) << size << " bytes";
}

}  // namespace
}  // namespace braid::broker
