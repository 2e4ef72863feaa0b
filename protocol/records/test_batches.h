#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/records/codec.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_batch_builder.h"

/// Batches for tests: right ones from a seed, and ones that are wrong in exactly one place, which no builder makes.
namespace braid::protocol {

inline constexpr std::array<Codec, 5> kAllCodecs = {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4,
                                                    Codec::kZstd};
inline constexpr std::array<Codec, 4> kPackingCodecs = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};

/// 2023-11-14 22:13:20 UTC, the time in the documented examples.
inline constexpr std::int64_t kExampleTimestamp = 1'700'000'000'000;

/// One varint as records have them.
std::string varint_text(std::int64_t value);

/// The parts of a record in writing order; each can be replaced by anything.
struct LooseRecord {
  std::string attributes{'\0'};
  std::string timestamp_delta = varint_text(0);
  std::string offset_delta = varint_text(0);
  std::string key = varint_text(1) + "k";
  std::string value = varint_text(1) + "v";
  std::string headers = varint_text(1) + varint_text(1) + "h" + varint_text(-1);

  std::string content() const { return attributes + timestamp_delta + offset_delta + key + value + headers; }
  /// The content after its length.
  std::string framed() const { return varint_text(static_cast<std::int64_t>(content().size())) + content(); }
};

/// The content, packed by our Compressor at its ordinary level.
Bytes pack(Codec codec, ByteView content);

/// A batch around a body that is already packed; header fields as a producer without idempotence sends them, CRC right.
Bytes wrap_body(Codec codec, ByteView packed_body, std::int32_t record_count);

/// The same, packing the content first.
Bytes batch_around(Codec codec, std::string_view content, std::int32_t record_count);

/// `count` right records in a right batch: keys, values and headers small.
Bytes plain_batch(Codec codec, std::int32_t record_count);

/// A record that owns what NewRecord borrows.
struct OwnedRecord {
  std::int64_t timestamp = 0;
  std::optional<std::string> key{};
  std::optional<std::string> value{};
  std::vector<std::pair<std::string, std::optional<std::string>>> headers{};
  bool operator==(const OwnedRecord&) const = default;
};

/// Records of all kinds from a seed: null and empty keys and values, none to many headers, sizes up to `bytes_max`.
std::vector<OwnedRecord> random_records(std::uint32_t seed, std::size_t count, std::size_t bytes_max);

/// A batch of them.
Bytes build_owned(const BatchProperties& properties, const std::vector<OwnedRecord>& records);

/// What a batch holds, read by RecordIterator; fails the test if it does not read.
std::vector<OwnedRecord> read_owned(ByteView batch);

}  // namespace braid::protocol
