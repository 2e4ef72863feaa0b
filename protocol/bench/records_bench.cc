// Validation of record batches beside its floors: the CRC alone, raw zstd, a copy. Bytes per second count the batch as
// it is on the wire, except for raw zstd and validation of zstd, which both count uncompressed content.
#include <benchmark/benchmark.h>
#include <zstd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "protocol/base/crc32c.h"
#include "protocol/records/batch_validation.h"
#include "protocol/records/record_batch_builder.h"
#include "protocol/records/record_iterator.h"

namespace braid::protocol {
namespace {

constexpr std::int64_t kTimestamp = 1'700'000'000'000;
constexpr std::size_t kKeyBytes = 16;

/// A batch of about `batch_bytes` before compression, of records with a key and a value of `value_bytes` of text.
Bytes batch_of(Codec codec, std::size_t batch_bytes, std::size_t value_bytes) {
  std::mt19937 random(1);
  RecordBatchBuilder builder;
  builder.start({.codec = codec});
  while (builder.uncompressed_bytes() + value_bytes / 2 < batch_bytes) {
    std::string value;
    while (value.size() < value_bytes) value += "field" + std::to_string(random() % 1000) + ",";
    value.resize(value_bytes);
    const std::string key = "key-" + std::to_string(random() % 1'000'000) + std::string(kKeyBytes, '0');
    builder.add({.timestamp = kTimestamp + builder.record_count() / 10,
                 .key = as_bytes(key).first(kKeyBytes),
                 .value = as_bytes(value)});
  }
  Compressor compressor;
  Bytes batch;
  static_cast<void>(builder.finish(compressor, batch, 100'000'000).value());
  return batch;
}

Bytes batch_for(const benchmark::State& state, Codec codec) {
  return batch_of(codec, static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void validate(benchmark::State& state, Codec codec) {
  const Bytes batch = batch_for(state, codec);
  BatchRules rules;
  rules.now = WallTime{kTimestamp};
  rules.batch_bytes_max = 10'000'000;
  Decompressor decompressor;
  RecordErrors errors;
  for (auto step : state) {
    const auto valid = validate_batch(batch, rules, decompressor, errors);
    if (valid.has_error()) return state.SkipWithError("the batch is not valid");
    benchmark::DoNotOptimize(valid->max_timestamp);
  }
  const std::size_t content = validate_batch(batch, rules, decompressor, errors)->content_bytes;
  count_bytes(state, codec == Codec::kNone ? batch.size() : content);
}

void validate_uncompressed(benchmark::State& state) { validate(state, Codec::kNone); }
void validate_zstd(benchmark::State& state) { validate(state, Codec::kZstd); }
void validate_lz4(benchmark::State& state) { validate(state, Codec::kLz4); }
void validate_snappy(benchmark::State& state) { validate(state, Codec::kSnappy); }
void validate_gzip(benchmark::State& state) { validate(state, Codec::kGzip); }

void floor_crc(benchmark::State& state) {
  const Bytes batch = batch_for(state, Codec::kNone);
  for (auto step : state) benchmark::DoNotOptimize(RecordBatch(batch).computed_crc());
  count_bytes(state, batch.size());
}

void floor_copy(benchmark::State& state) {
  const Bytes batch = batch_for(state, Codec::kNone);
  Bytes copy(batch.size());
  for (auto step : state) {
    std::memcpy(copy.data(), batch.data(), batch.size());
    benchmark::ClobberMemory();
  }
  count_bytes(state, batch.size());
}

/// One call into memory for the whole content: what the library can do without a bound on memory.
void floor_zstd(benchmark::State& state) {
  const Bytes batch = batch_for(state, Codec::kZstd);
  const ByteView body = RecordBatch(batch).body();
  Bytes content(ZSTD_getFrameContentSize(body.data(), body.size()));
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  for (auto step : state) {
    benchmark::DoNotOptimize(ZSTD_decompressDCtx(context, content.data(), content.size(), body.data(), body.size()));
  }
  ZSTD_freeDCtx(context);
  count_bytes(state, content.size());
}

void iterate_uncompressed(benchmark::State& state) {
  const Bytes bytes = batch_for(state, Codec::kNone);
  const RecordBatch batch(bytes);
  for (auto step : state) {
    RecordIterator records(batch, batch.body());
    std::int64_t sum = 0;
    while (true) {
      const auto record = records.next();
      if (record.has_error() || !record->has_value()) break;
      sum += (*record)->offset;
    }
    benchmark::DoNotOptimize(sum);
  }
  count_bytes(state, bytes.size());
}

void build_uncompressed(benchmark::State& state) {
  const std::string value(static_cast<std::size_t>(state.range(1)), 'v');
  RecordBatchBuilder builder;
  Compressor compressor;
  Bytes batch;
  for (auto step : state) {
    builder.start({});
    while (builder.uncompressed_bytes() < static_cast<std::size_t>(state.range(0))) {
      builder.add({.timestamp = kTimestamp, .value = as_bytes(value)});
    }
    batch.clear();
    benchmark::DoNotOptimize(builder.finish(compressor, batch, 100'000'000).has_value());
  }
  count_bytes(state, batch.size());
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"batch", "record"});
  for (const std::int64_t batch_bytes : {16 * 1024, 1024 * 1024}) {
    for (const std::int64_t value_bytes : {1024, 100}) bench->Args({batch_bytes, value_bytes});
  }
}

BENCHMARK(floor_crc)->Apply(sizes);
BENCHMARK(floor_copy)->Apply(sizes);
BENCHMARK(validate_uncompressed)->Apply(sizes);
BENCHMARK(floor_zstd)->Apply(sizes);
BENCHMARK(validate_zstd)->Apply(sizes);
BENCHMARK(validate_lz4)->Apply(sizes);
BENCHMARK(validate_snappy)->Apply(sizes);
BENCHMARK(validate_gzip)->Apply(sizes);
BENCHMARK(iterate_uncompressed)->Apply(sizes);
BENCHMARK(build_uncompressed)->Apply(sizes);

}  // namespace
}  // namespace braid::protocol
