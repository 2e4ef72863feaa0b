#include "protocol/records/batch_errc.h"

#include <string>

namespace braid::protocol {
namespace {

const char* describe(BatchErrc code) {
  switch (code) {
    case BatchErrc::bad_batch_length:
      return "The batch states a length that is smaller than its header.";
    case BatchErrc::unknown_magic:
      return "The batch has a magic that is not known; only 2 is accepted.";
    case BatchErrc::crc_mismatch:
      return "The batch does not match its CRC.";
    case BatchErrc::batch_too_large:
      return "The batch is larger than max.message.bytes.";
    case BatchErrc::larger_than_segment:
      return "The batch is larger than segment.bytes.";
    case BatchErrc::timestamp_out_of_range:
      return "A timestamp is out of the range that message.timestamp.before.max.ms and message.timestamp.after.max.ms "
             "allow.";
    case BatchErrc::timestamp_type_from_client:
      return "Invalid timestamp type: a producer should not set it to LogAppendTime.";
    case BatchErrc::zstd_too_early:
      return "Produce requests below version 7 can't carry zstd.";
    case BatchErrc::unknown_codec:
      return "The batch is compressed by a codec that is not known.";
    case BatchErrc::null_records:
      return "The records are null.";
    case BatchErrc::no_batch:
      return "The records hold no batch; there must be exactly one.";
    case BatchErrc::batch_cut_short:
      return "The batch is longer than the records that hold it.";
    case BatchErrc::old_magic:
      return "Batches with magic 0 or 1 are not accepted; only 2 is.";
    case BatchErrc::several_batches:
      return "The records hold more than one batch; there must be exactly one.";
    case BatchErrc::bytes_after_batch:
      return "Bytes follow the batch.";
    case BatchErrc::base_offset_not_zero:
      return "The base offset of a producer's batch must be 0.";
    case BatchErrc::bad_record_count:
      return "The record count is not positive, or is not the last offset delta + 1.";
    case BatchErrc::control_batch_from_client:
      return "Clients may not write control batches.";
    case BatchErrc::no_sequence:
      return "A batch with a producer id needs a base sequence.";
    case BatchErrc::no_producer_id:
      return "A transactional batch needs a producer id.";
    case BatchErrc::undecodable_body:
      return "The records do not decompress by the codec that the batch names.";
    case BatchErrc::decompressed_too_large:
      return "The records are larger than max.decompressed.message.bytes, or than a plausible compression ratio "
             "allows.";
    case BatchErrc::malformed_record:
      return "A record has a length, count or integer that does not fit it.";
    case BatchErrc::too_few_records:
      return "The batch holds fewer records than it declares.";
    case BatchErrc::bytes_after_records:
      return "Bytes follow the last record of the batch.";
    case BatchErrc::compressed_record:
      return "A record of a compressed batch claims to be compressed itself.";
    case BatchErrc::offset_delta_out_of_order:
      return "The offset deltas of the records are not 0, 1, 2 and so on.";
    case BatchErrc::null_key:
      return "A compacted topic can't take a record without a key.";
  }
  return "An unknown fault of a batch.";
}

class BatchErrcCategory final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "braid.batch"; }
  std::string message(int value) const override { return describe(static_cast<BatchErrc>(value)); }
};

}  // namespace

const boost::system::error_category& batch_errc_category() {
  static const BatchErrcCategory category;
  return category;
}

}  // namespace braid::protocol
