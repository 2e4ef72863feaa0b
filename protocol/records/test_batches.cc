#include "protocol/records/test_batches.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/records/compression.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_iterator.h"
#include "protocol/wire/varint.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kNoBound = std::numeric_limits<std::int32_t>::max();

std::string text_of(ByteView bytes) { return std::string(as_text(bytes)); }

std::optional<std::string> text_of(const std::optional<ByteView>& bytes) {
  return bytes ? std::optional(text_of(*bytes)) : std::nullopt;
}

std::optional<ByteView> view_of(const std::optional<std::string>& text) {
  return text ? std::optional(as_bytes(*text)) : std::nullopt;
}

std::string random_text(std::mt19937& random, std::size_t bytes_max) {
  const std::size_t size = std::uniform_int_distribution<std::size_t>(0, bytes_max)(random);
  std::string text(size, '\0');
  // Few different bytes, so that compression has something to do.
  for (char& character : text) character = static_cast<char>(random() % 7);
  return text;
}

std::optional<std::string> random_nullable(std::mt19937& random, std::size_t bytes_max) {
  if (random() % 4 == 0) return std::nullopt;
  return random_text(random, random() % 4 == 0 ? 0 : bytes_max);
}

}  // namespace

std::string varint_text(std::int64_t value) {
  std::uint64_t rest = zigzag_encode(value);
  std::string text;
  while (rest >= 0x80) {
    text.push_back(static_cast<char>(rest | 0x80));
    rest >>= 7;
  }
  text.push_back(static_cast<char>(rest));
  return text;
}

Bytes pack(Codec codec, ByteView content) {
  Compressor compressor;
  Bytes packed;
  compressor.start(codec, level_range(codec).ordinary, packed, kNoBound);
  check(compressor.write(content).has_value() && compressor.finish().has_value(), "nothing bounds the packed bytes");
  return packed;
}

Bytes wrap_body(Codec codec, ByteView packed_body, std::int32_t record_count) {
  Bytes batch(kBatchHeaderBytes + packed_body.size());
  Writer out(batch);
  out.i64(0);
  out.i32(static_cast<std::int32_t>(batch.size() - kBatchPrefixBytes));
  out.i32(kNoLeaderEpoch);
  out.i8(kBatchMagic);
  out.u32(0);
  out.i16(static_cast<std::int16_t>(codec));
  out.i32(record_count - 1);
  out.i64(kExampleTimestamp);
  out.i64(kExampleTimestamp);
  out.i64(kNoProducerId);
  out.i16(kNoProducerEpoch);
  out.i32(kNoSequence);
  out.i32(record_count);
  out.bytes(packed_body);
  renew_crc(batch);
  return batch;
}

Bytes batch_around(Codec codec, std::string_view content, std::int32_t record_count) {
  return wrap_body(codec, pack(codec, as_bytes(content)), record_count);
}

Bytes plain_batch(Codec codec, std::int32_t record_count) {
  std::string content;
  for (std::int32_t i = 0; i < record_count; ++i) content += LooseRecord{.offset_delta = varint_text(i)}.framed();
  return batch_around(codec, content, record_count);
}

std::vector<OwnedRecord> random_records(std::uint32_t seed, std::size_t count, std::size_t bytes_max) {
  std::mt19937 random(seed);
  std::vector<OwnedRecord> records(count);
  for (OwnedRecord& record : records) {
    record.timestamp = kExampleTimestamp + static_cast<std::int64_t>(random() % 1000) - 500;
    record.key = random_nullable(random, bytes_max);
    record.value = random_nullable(random, bytes_max);
    const std::size_t headers = random() % 3 == 0 ? random() % 5 : 0;
    for (std::size_t i = 0; i < headers; ++i) {
      std::string name = random_text(random, 20);
      record.headers.emplace_back(std::move(name), random_nullable(random, 20));
    }
  }
  return records;
}

Bytes build_owned(const BatchProperties& properties, const std::vector<OwnedRecord>& records) {
  RecordBatchBuilder builder;
  builder.start(properties);
  for (const OwnedRecord& record : records) {
    std::vector<RecordHeader> headers;
    for (const auto& [name, value] : record.headers) headers.push_back({as_bytes(name), view_of(value)});
    builder.add({record.timestamp, view_of(record.key), view_of(record.value), headers});
  }
  Compressor compressor;
  Bytes batch;
  check(builder.finish(compressor, batch, kNoBound).has_value(), "nothing bounds the batch");
  return batch;
}

std::vector<OwnedRecord> read_owned(ByteView bytes) {
  const RecordBatch batch(bytes);
  Decompressor decompressor;
  Bytes buffer;
  const auto body = record_body(batch, kNoBound, decompressor, buffer);
  std::vector<OwnedRecord> owned;
  if (body.has_error()) {
    ADD_FAILURE() << "the body does not decompress: " << body.error().message();
    return owned;
  }
  RecordIterator records(batch, *body);
  while (true) {
    const auto record = records.next();
    if (record.has_error()) {
      ADD_FAILURE() << "a record does not read: " << record.error().message();
      return owned;
    }
    if (!record->has_value()) return owned;
    const Record& read = **record;
    EXPECT_EQ(read.offset, batch.base_offset() + static_cast<std::int64_t>(owned.size()));
    OwnedRecord copy{.timestamp = read.timestamp, .key = text_of(read.key), .value = text_of(read.value)};
    RecordHeaders headers = read.headers;
    while (const auto header = headers.next()) copy.headers.emplace_back(text_of(header->key), text_of(header->value));
    owned.push_back(std::move(copy));
  }
}

}  // namespace braid::protocol
