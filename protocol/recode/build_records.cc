#include "protocol/recode/build_records.h"

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/recode/command.h"
#include "protocol/recode/records_json.h"
#include "protocol/records/compression.h"
#include "protocol/records/record_batch_builder.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kHeadersEach = 3;
constexpr std::int64_t kFirstTimestamp = 1700000000000;

std::optional<Codec> codec_by_name(std::string_view name) {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    if (codec_name(codec) == name) return codec;
  }
  return std::nullopt;
}

/// Random records. Owns what its last record borrows.
class RandomRecords {
 public:
  explicit RandomRecords(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  BatchProperties properties(Codec codec) {
    BatchProperties properties;
    properties.codec = codec;
    properties.base_offset = static_cast<std::int64_t>(below(1U << 30));
    properties.partition_leader_epoch = static_cast<std::int32_t>(below(100)) - 1;
    if (below(4) == 0) properties.log_append_time = kFirstTimestamp + static_cast<std::int64_t>(below(1000000));
    if (below(2) == 0) {
      properties.producer_id = static_cast<std::int64_t>(below(1U << 30));
      properties.producer_epoch = static_cast<std::int16_t>(below(1000));
      properties.base_sequence = static_cast<std::int32_t>(below(1U << 31));
      properties.transactional = below(2) == 0;
    }
    return properties;
  }

  /// Lives until the next call. Keys and values are null, empty, short, or sometimes long enough to span a codec's
  /// blocks.
  NewRecord record() {
    NewRecord record;
    record.timestamp = kFirstTimestamp + static_cast<std::int64_t>(below(200000)) - 100000;
    record.key = nullable_bytes(key_, 20);
    record.value = nullable_bytes(value_, below(50) == 0 ? 70000 : 300);
    const std::size_t count = below(kHeadersEach + 1);
    for (std::size_t i = 0; i < count; ++i) {
      fill(header_keys_[i], below(10));
      headers_[i] = {header_keys_[i], nullable_bytes(header_values_[i], 40)};
    }
    record.headers = std::span(headers_).first(count);
    return record;
  }

 private:
  std::optional<ByteView> nullable_bytes(Bytes& storage, std::uint64_t bytes_max) {
    if (below(5) == 0) return std::nullopt;
    fill(storage, below(bytes_max + 1));
    return storage;
  }

  /// Letters from a small alphabet, so that there is something to compress.
  void fill(Bytes& storage, std::uint64_t count) {
    storage.resize(count);
    for (std::byte& byte : storage) byte = static_cast<std::byte>('a' + below(6));
  }

  std::mt19937_64 random_;
  Bytes key_;
  Bytes value_;
  std::array<Bytes, kHeadersEach> header_keys_;
  std::array<Bytes, kHeadersEach> header_values_;
  std::array<RecordHeader, kHeadersEach> headers_;
};

Result<std::string> build(Codec codec, std::uint64_t seed, int count) {
  RandomRecords random(seed);
  RecordBatchBuilder builder;
  const BatchProperties properties = random.properties(codec);
  builder.start(properties);
  std::string records;
  JsonText out(records);
  out.begin_array();
  for (int i = 0; i < count; ++i) {
    const NewRecord record = random.record();
    builder.add(record);
    record_object(properties.base_offset + i, properties.log_append_time.value_or(record.timestamp), record, out);
  }
  out.end_array();
  Bytes batch;
  Compressor compressor;
  TRY_DO(builder.finish(compressor, batch, kRecodeBatchContentBytesMax));

  std::string text = "[";
  JsonText described(text);
  described.begin_object();
  batch_members(RecordBatch(batch), described);
  described.key("records");
  text += records;
  described.end_object();
  return text + "]\t" + to_hex(batch);
}

}  // namespace

std::string build_records(Words& words) {
  const std::optional<Codec> codec = codec_by_name(words.take());
  const auto seed = words.take_number<std::uint64_t>();
  const auto count = words.take_number<int>();
  if (!codec) return error_line("the codec is none, gzip, snappy, lz4 or zstd");
  if (!seed) return error_line("the seed is not a number");
  if (!count || *count < 0 || *count > kRecodeBuiltRecordsMax)
    return error_line("the count is not a number up to " + std::to_string(kRecodeBuiltRecordsMax));
  const Result<std::string> built = build(*codec, *seed, *count);
  return built.has_error() ? error_line(built.error().message()) : *built + "\n";
}

}  // namespace braid::protocol
