#include "broker/api/error_map.h"

#include "broker/partition/partition_errc.h"
#include "protocol/base/errc.h"
#include "protocol/records/batch_errc.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

using protocol::BatchErrc;
using protocol::Errc;
using protocol::ErrorCode;
using storage::StorageErrc;

/// Bytes that can't be read are no valid request; most of them close their connection before anybody asks.
ErrorCode of_bytes(Errc error) {
  switch (error) {
    case Errc::truncated:
    case Errc::malformed:
    case Errc::too_large:
    case Errc::not_hex:
      return ErrorCode::kInvalidRequest;
    case Errc::unsupported_version:
      return ErrorCode::kUnsupportedVersion;
  }
  return ErrorCode::kUnknownServerError;
}

/// Whether a producer gives up, tries again or splits its batch follows from these.
ErrorCode of_batch(BatchErrc error) {
  switch (error) {
    case BatchErrc::bad_batch_length:
    case BatchErrc::unknown_magic:
    case BatchErrc::crc_mismatch:
      return ErrorCode::kCorruptMessage;
    case BatchErrc::batch_too_large:
      return ErrorCode::kMessageTooLarge;
    case BatchErrc::larger_than_segment:
      return ErrorCode::kRecordListTooLarge;
    case BatchErrc::timestamp_out_of_range:
    case BatchErrc::timestamp_type_from_client:
      return ErrorCode::kInvalidTimestamp;
    case BatchErrc::zstd_too_early:
    case BatchErrc::unknown_codec:
      return ErrorCode::kUnsupportedCompressionType;
    case BatchErrc::null_records:
    case BatchErrc::no_batch:
    case BatchErrc::batch_cut_short:
    case BatchErrc::old_magic:
    case BatchErrc::several_batches:
    case BatchErrc::bytes_after_batch:
    case BatchErrc::base_offset_not_zero:
    case BatchErrc::bad_record_count:
    case BatchErrc::control_batch_from_client:
    case BatchErrc::no_sequence:
    case BatchErrc::no_producer_id:
    case BatchErrc::undecodable_body:
    case BatchErrc::decompressed_too_large:
    case BatchErrc::malformed_record:
    case BatchErrc::too_few_records:
    case BatchErrc::bytes_after_records:
    case BatchErrc::compressed_record:
    case BatchErrc::offset_delta_out_of_order:
    case BatchErrc::null_key:
      return ErrorCode::kInvalidRecord;
  }
  return ErrorCode::kUnknownServerError;
}

ErrorCode of_partition(PartitionErrc error) {
  switch (error) {
    case PartitionErrc::out_of_order_sequence:
      return ErrorCode::kOutOfOrderSequenceNumber;
    case PartitionErrc::old_producer_epoch:
      return ErrorCode::kInvalidProducerEpoch;
    case PartitionErrc::fenced_leader_epoch:
      return ErrorCode::kFencedLeaderEpoch;
    case PartitionErrc::unknown_leader_epoch:
      return ErrorCode::kUnknownLeaderEpoch;
  }
  return ErrorCode::kUnknownServerError;
}

/// A read's error stays with its partition; a failed store's ends the process soon.
ErrorCode of_storage(StorageErrc error) {
  switch (error) {
    case StorageErrc::offset_out_of_range:
      return ErrorCode::kOffsetOutOfRange;
    case StorageErrc::unknown_partition:
      return ErrorCode::kUnknownTopicOrPartition;
    case StorageErrc::partition_exists:
      return ErrorCode::kTopicAlreadyExists;
    case StorageErrc::corrupt:
      return ErrorCode::kCorruptMessage;
    case StorageErrc::too_large:
      return ErrorCode::kRecordListTooLarge;
    case StorageErrc::stale_read:
    case StorageErrc::not_yet:
    case StorageErrc::disk_full:
    case StorageErrc::failed:
    case StorageErrc::foreign:
    case StorageErrc::in_use:
    case StorageErrc::no_identity:
      return ErrorCode::kKafkaStorageError;
  }
  return ErrorCode::kUnknownServerError;
}

}  // namespace

ErrorCode to_kafka(const boost::system::error_code& error) {
  if (!error.failed()) return ErrorCode::kNone;
  if (error.category() == protocol::errc_category()) return of_bytes(static_cast<Errc>(error.value()));
  if (error.category() == protocol::batch_errc_category()) return of_batch(static_cast<BatchErrc>(error.value()));
  if (error.category() == partition_errc_category()) return of_partition(static_cast<PartitionErrc>(error.value()));
  if (error.category() == storage::storage_category()) return of_storage(static_cast<StorageErrc>(error.value()));
  const bool of_a_file =
      error.category() == boost::system::system_category() || error.category() == boost::system::generic_category();
  return of_a_file ? ErrorCode::kKafkaStorageError : ErrorCode::kUnknownServerError;
}

}  // namespace braid::broker
