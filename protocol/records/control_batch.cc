#include "protocol/records/control_batch.h"

#include <array>
#include <optional>

#include "protocol/base/check.h"
#include "protocol/records/compression.h"
#include "protocol/records/record_batch_builder.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

constexpr std::int16_t kKeyVersion = 0;
constexpr std::int16_t kValueVersion = 0;

}  // namespace

Bytes build_end_txn_batch(const EndTxnMarker& marker, WallTime now) {
  std::array<std::byte, 4> key{};
  Writer key_out(key);
  key_out.i16(kKeyVersion);
  key_out.i16(static_cast<std::int16_t>(marker.type));
  std::array<std::byte, 6> value{};
  Writer value_out(value);
  value_out.i16(kValueVersion);
  value_out.i32(marker.coordinator_epoch);

  RecordBatchBuilder builder;
  builder.start({.producer_id = marker.producer_id,
                 .producer_epoch = marker.producer_epoch,
                 .transactional = true,
                 .control = true});
  builder.add({.timestamp = now.milliseconds, .key = ByteView(key), .value = ByteView(value)});
  Compressor copies;
  Bytes batch;
  check(builder.finish(copies, batch, kEndTxnBatchBytes).has_value() && batch.size() == kEndTxnBatchBytes,
        "a marker has one size");
  return batch;
}

Result<ControlType> read_control_type(const Record& record) {
  Reader key(record.key.value_or(ByteView()));
  const std::int16_t version = key.i16();
  const std::int16_t type = key.i16();
  if (!key.ok() || version < 0) return make_error_code(Errc::malformed);
  return static_cast<ControlType>(type);
}

Result<EndTxnMarker> read_end_txn_batch(const RecordBatch& batch) {
  if (!batch.control() || batch.codec_bits() != 0) return make_error_code(Errc::malformed);
  RecordIterator records(batch, batch.body());
  TRY(const std::optional<Record> record, records.next());
  if (!record) return make_error_code(Errc::malformed);
  TRY(const ControlType type, read_control_type(*record));
  if (type != ControlType::kAbort && type != ControlType::kCommit) return make_error_code(Errc::malformed);

  // Later versions of the value begin with the same two fields.
  Reader value(record->value.value_or(ByteView()));
  const std::int16_t version = value.i16();
  const std::int32_t coordinator_epoch = value.i32();
  if (!value.ok() || version < 0) return make_error_code(Errc::malformed);
  return EndTxnMarker{.type = type,
                      .producer_id = batch.producer_id(),
                      .producer_epoch = batch.producer_epoch(),
                      .coordinator_epoch = coordinator_epoch};
}

}  // namespace braid::protocol
