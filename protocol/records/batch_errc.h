#pragma once

#include <boost/system/error_code.hpp>
#include <type_traits>

namespace braid::protocol {

/// Why a record batch from a client is refused. broker/api/error_map answers with the Kafka code that stands here, and
/// the message of the error_code as `error_message` where the version has one.
enum class BatchErrc {
  // CORRUPT_MESSAGE(2)
  bad_batch_length = 1,  // below what a header takes, or negative
  unknown_magic,         // 3 and above, or negative
  crc_mismatch,

  // MESSAGE_TOO_LARGE(10)
  batch_too_large,  // max.message.bytes

  // RECORD_LIST_TOO_LARGE(18)
  larger_than_segment,  // segment.bytes

  // INVALID_TIMESTAMP(32)
  timestamp_out_of_range,      // message.timestamp.before.max.ms, message.timestamp.after.max.ms
  timestamp_type_from_client,  // the client set the LogAppendTime bit where that can't be undone

  // UNSUPPORTED_COMPRESSION_TYPE(76)
  zstd_too_early,  // Produce below version 7
  unknown_codec,   // 5 to 7

  // INVALID_RECORD(87)
  null_records,  // no records field at all: the caller's to find, as it never becomes bytes
  no_batch,      // nothing, or less than tells a batch's size and magic
  batch_cut_short,
  old_magic,  // 0 or 1
  several_batches,
  bytes_after_batch,
  base_offset_not_zero,
  bad_record_count,  // not positive, or not last offset delta + 1
  control_batch_from_client,
  no_sequence,     // a producer id without one
  no_producer_id,  // transactional without one
  undecodable_body,
  decompressed_too_large,  // max.decompressed.message.bytes, or a ratio that only a bomb has
  malformed_record,
  too_few_records,
  bytes_after_records,
  compressed_record,  // inside a compressed batch
  offset_delta_out_of_order,
  null_key,  // on a compacted topic
};

const boost::system::error_category& batch_errc_category();

inline boost::system::error_code make_error_code(BatchErrc code) {
  return boost::system::error_code(static_cast<int>(code), batch_errc_category());
}

}  // namespace braid::protocol

template <>
struct boost::system::is_error_code_enum<braid::protocol::BatchErrc> : std::true_type {};
