#pragma once

#include <boost/system/error_code.hpp>
#include <type_traits>

namespace braid::broker {

/// Why a partition refuses what a client asks. broker/api/error_map answers with the Kafka code that stands here.
enum class PartitionErrc {
  out_of_order_sequence = 1,  // OUT_OF_ORDER_SEQUENCE_NUMBER(45)
  old_producer_epoch,         // INVALID_PRODUCER_EPOCH(47)
  fenced_leader_epoch,        // FENCED_LEADER_EPOCH(74)
  unknown_leader_epoch,       // UNKNOWN_LEADER_EPOCH(75)
};

const boost::system::error_category& partition_errc_category();

inline boost::system::error_code make_error_code(PartitionErrc code) {
  return boost::system::error_code(static_cast<int>(code), partition_errc_category());
}

}  // namespace braid::broker

template <>
struct boost::system::is_error_code_enum<braid::broker::PartitionErrc> : std::true_type {};
