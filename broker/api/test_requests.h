#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/test_node.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/error_code.h"
#include "protocol/records/record_batch_builder.h"

/// What tests of the data path ask of a TestNode again and again, and the answers in one piece.
namespace braid::broker {

/// Checked to succeed; its id.
protocol::Uuid create_topic(TestNode& node, const std::string& name, std::int32_t partitions = 1,
                            const std::vector<std::pair<std::string, std::string>>& configs = {});

/// A batch of records with these values, no keys, and the timestamp kExampleTimestamp each.
protocol::Bytes batch_of_values(const std::vector<std::string>& values,
                                const protocol::BatchProperties& properties = {});

/// Where a Produce of one batch goes.
struct ProduceTo {
  std::string topic = "t";
  std::int32_t partition = 0;
  std::int16_t version = 9;
  std::int16_t acks = -1;
  std::int32_t timeout_ms = 30'000;
  protocol::Uuid id{};  // for versions that have no names
};

struct Produced {
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  std::int64_t base_offset = -1;
  std::int64_t log_append_time_ms = -1;
  std::int64_t log_start_offset = -1;
  std::string message{};
  std::vector<std::pair<std::int32_t, std::string>> record_errors{};
};

protocol::Bytes produce_frame(const std::optional<protocol::ByteView>& records, const ProduceTo& to = {});
/// Null records: none.
Produced produce(TestNode& node, const std::optional<protocol::ByteView>& records, const ProduceTo& to = {});

}  // namespace braid::broker
