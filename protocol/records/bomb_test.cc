// What validation costs in memory, whatever the batch claims: every allocation of the process is counted, those of the
// codecs' libraries too. Bombs are built here: no blob could be trusted to stay one.
#include <gtest/gtest.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/base/test_allocations.h"
#include "protocol/records/batch_validation.h"
#include "protocol/records/test_batches.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

BatchRules rules_at_example_time() {
  BatchRules rules;
  rules.now = WallTime{kExampleTimestamp};
  rules.batch_bytes_max = 16 * 1024 * 1024;
  return rules;
}

/// The begin of a content that is one right record, but for its value of `value_bytes` zeros, which follow. What the
/// record itself needs at its end is a zero too: no headers.
std::string begin_of_giant_record(std::size_t value_bytes) {
  const std::string fields =
      std::string(3, '\0') + varint_text(-1) + varint_text(static_cast<std::int64_t>(value_bytes));
  return varint_text(static_cast<std::int64_t>(fields.size() + value_bytes + 1)) + fields;
}

using Feed = std::function<void(const std::byte* bytes, std::size_t size, bool last)>;

/// Passes on the giant record in pieces, all of them zeros after the first.
void feed_giant_record(std::size_t value_bytes, const Feed& feed) {
  const std::string begin = begin_of_giant_record(value_bytes);
  feed(as_bytes(begin).data(), begin.size(), false);
  const Bytes zeros(1024 * 1024);
  for (std::size_t left = value_bytes + 1; left != 0;) {
    const std::size_t size = std::min(left, zeros.size());
    left -= size;
    feed(zeros.data(), size, left == 0);
  }
}

/// Zeros deflated on their own, so that they can be repeated.
Bytes deflated(ByteView content, int flush) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, content.size()) + 100);
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, flush);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// One gzip member of the giant record, as right as any.
Bytes gzip_bomb(std::size_t value_mib) {
  constexpr std::size_t kMiB = 1024 * 1024;
  const Bytes zeros(kMiB);
  const Bytes packed_zeros = deflated(zeros, Z_FULL_FLUSH);
  std::string begin = begin_of_giant_record(value_mib * kMiB - 1);
  const auto crc_of = [](ByteView bytes) {
    return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  };
  uLong crc = crc_of(as_bytes(begin));
  const uLong crc_of_zeros = crc_of(zeros);
  Bytes bomb = *from_hex("1f8b0800000000000003");
  const auto append = [&bomb](const Bytes& bytes) { bomb.insert(bomb.end(), bytes.begin(), bytes.end()); };
  append(deflated(as_bytes(begin), Z_FULL_FLUSH));
  for (std::size_t i = 0; i < value_mib; ++i) {
    append(packed_zeros);
    crc = crc32_combine(crc, crc_of_zeros, kMiB);
  }
  append(deflated({}, Z_FINISH));
  for (const std::size_t number : {static_cast<std::size_t>(crc), begin.size() + value_mib * kMiB}) {
    for (unsigned shift = 0; shift < 32; shift += 8) bomb.push_back(static_cast<std::byte>(number >> shift & 0xff));
  }
  return bomb;
}

Bytes zstd_bomb(std::size_t value_bytes, int window_log) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  Bytes packed(value_bytes / 1000 + 100'000);
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  feed_giant_record(value_bytes, [&](const std::byte* bytes, std::size_t size, bool last) {
    ZSTD_inBuffer in{bytes, size, 0};
    while (ZSTD_compressStream2(context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue) != 0 &&
           (last || in.pos < size))
      continue;
  });
  packed.resize(out.pos);
  ZSTD_freeCCtx(context);
  return packed;
}

/// Memory taken at the worst moment of one validation by a fresh decompressor, and the verdict.
struct Cost {
  std::size_t peak_bytes = 0;
  boost::system::error_code error;
};

Cost cost_of(const Bytes& batch, const BatchRules& rules = rules_at_example_time()) {
  const AllocationCount counted;
  Decompressor decompressor;
  RecordErrors errors;
  const auto result = validate_batch(batch, rules, decompressor, errors);
  return {counted.peak_bytes(), result.has_error() ? result.error() : boost::system::error_code()};
}

class Bombs : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
  }
};

TEST_F(Bombs, OfGzipAreStoppedByTheirRatio) {
  const Bytes body = gzip_bomb(1024);
  ASSERT_LT(body.size(), 1'200'000U);
  const Cost cost = cost_of(wrap_body(Codec::kGzip, body, 1));
  EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax);
  EXPECT_EQ(cost.error, BatchErrc::decompressed_too_large);
}

TEST_F(Bombs, OfOneKibOfGzipThatBelongsToOneGibCostNoMoreThanTheBound) {
  Bytes body = gzip_bomb(1024);
  body.resize(1024);
  const Cost cost = cost_of(wrap_body(Codec::kGzip, body, 1));
  EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax);
  EXPECT_EQ(cost.error, BatchErrc::undecodable_body);
}

TEST_F(Bombs, OfZstdAreStoppedByTheirRatio) {
  const Bytes body = zstd_bomb(kGiB, 17);
  ASSERT_LT(body.size(), 200'000U);
  const Cost cost = cost_of(wrap_body(Codec::kZstd, body, 1));
  EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax);
  EXPECT_EQ(cost.error, BatchErrc::decompressed_too_large);
}

TEST_F(Bombs, BelowTheUnquestionedSizeAreTakenWithinTheBound) {
  const Cost gzip_cost = cost_of(wrap_body(Codec::kGzip, gzip_bomb(63), 1));
  EXPECT_LE(gzip_cost.peak_bytes, kDecompressorBytesMax);
  EXPECT_FALSE(gzip_cost.error) << gzip_cost.error.message();
  const Bytes body = zstd_bomb(kDecompressedBytesUnquestioned - 100, 27);
  ASSERT_LT(body.size(), 20'000U);
  const Cost cost = cost_of(wrap_body(Codec::kZstd, body, 1));
  EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax);
  EXPECT_FALSE(cost.error) << cost.error.message();
}

TEST_F(Bombs, AreStoppedByTheTopicsLimit) {
  BatchRules rules = rules_at_example_time();
  rules.decompressed_bytes_max = 1'000'000;
  for (const auto& [codec, body] : {std::pair(Codec::kGzip, gzip_bomb(16)), {Codec::kZstd, zstd_bomb(kGiB, 20)}}) {
    const Cost cost = cost_of(wrap_body(codec, body, 1), rules);
    EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax);
    EXPECT_EQ(cost.error, BatchErrc::decompressed_too_large);
  }
}

/// A body that announces far more than it holds.
struct Lie {
  const char* name;
  Codec codec;
  const char* hex;
  std::size_t bytes_max;
};

TEST_F(Bombs, ThatAnnounceFarMoreThanTheyHoldCostNoMoreThanTheyHold) {
  constexpr std::size_t kSmall = 1280 * 1024;  // the codec itself and the piece take most of it
  const std::array<Lie, 10> lies = {{
      {"zstd, window of 2 GiB", Codec::kZstd, "28b52ffd 00 a8 090000 61", kSmall},
      {"zstd, window of 3.75 TiB", Codec::kZstd, "28b52ffd 00 ff 090000 61", kSmall},
      {"zstd, window of 128 MiB", Codec::kZstd, "28b52ffd 00 88 090000 61", kSmall},
      {"zstd, single segment of 2^64 - 1", Codec::kZstd, "28b52ffd e0 ffffffffffffffff 090000 61", kSmall},
      {"zstd, single segment of 128 MiB", Codec::kZstd, "28b52ffd a0 00000008 090000 61", kSmall},
      {"zstd, content of 2^63", Codec::kZstd, "28b52ffd c0 38 0000000000000080 090000 61", kSmall},
      {"snappy, block of 4 GiB", Codec::kSnappy, "ffffffff0f 00 61", kSmall},
      {"snappy, chunk of 0xffffffff", Codec::kSnappy, "82534e4150505900 00000001 00000001 ffffffff 01 00 61", kSmall},
      {"snappy, chunk of 2 GiB", Codec::kSnappy, "82534e4150505900 00000001 00000001 7fffffff 01 00 61", kSmall},
      {"snappy, block of 4 GiB in a chunk", Codec::kSnappy,
       "82534e4150505900 00000001 00000001 00000007 ffffffff0f 00 61", kSmall},
  }};
  for (const Lie& lie : lies) {
    const Cost cost = cost_of(wrap_body(lie.codec, *from_hex(lie.hex), 1));
    EXPECT_LE(cost.peak_bytes, lie.bytes_max) << lie.name;
    EXPECT_TRUE(cost.error) << lie.name;
  }
}

TEST_F(Bombs, OfLz4FramesThatAnnounceTheLargestBlocksCostNoMoreThanTheBound) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max4MB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.contentSize = std::size_t{1} << 62;
  LZ4F_cctx* context = nullptr;
  LZ4F_createCompressionContext(&context, LZ4F_VERSION);
  Bytes body(LZ4F_HEADER_SIZE_MAX);
  body.resize(LZ4F_compressBegin(context, body.data(), body.size(), &preferences));
  LZ4F_freeCompressionContext(context);
  for (const char* block : {"", "ffffff7f", "ffffffff", "0000400061", "00000000"}) {
    Bytes lying = body;
    const Bytes more = *from_hex(block);
    lying.insert(lying.end(), more.begin(), more.end());
    const Cost cost = cost_of(wrap_body(Codec::kLz4, lying, 1));
    EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax) << block;
    EXPECT_EQ(cost.error, BatchErrc::undecodable_body) << block;
  }
}

TEST_F(Bombs, OfARawSnappyBlockCostTwentyTwoTimesItsBytes) {
  std::string content = begin_of_giant_record(10'000'000);
  content.append(10'000'001, '\0');
  std::string block;
  // A literal of the begin, then copies of 64 bytes, three bytes each.
  const std::size_t size = content.size();
  for (std::size_t rest = size; rest >= 0x80; rest >>= 7) block.push_back(static_cast<char>(rest | 0x80));
  block.push_back(static_cast<char>(size >> 21));
  const std::size_t literal = 20 + (size - 20) % 64;
  block.push_back('\xf0');
  block.push_back(static_cast<char>(literal - 1));
  block += content.substr(0, literal);
  for (std::size_t at = literal; at < size; at += 64) block += std::string("\xfe\x01\0", 3);
  const Cost cost = cost_of(wrap_body(Codec::kSnappy, as_bytes(block), 1));
  EXPECT_FALSE(cost.error) << cost.error.message();
  EXPECT_LE(cost.peak_bytes, kSnappyRatioMax * block.size() + kDecompressorBytesMax);
}

TEST_F(Bombs, WithCountsThatTheyDoNotHoldCostNothing) {
  Bytes batch = plain_batch(Codec::kNone, 1);
  for (const std::size_t field :
       {batch_layout::kRecordCount, batch_layout::kBatchLength, batch_layout::kLastOffsetDelta}) {
    Bytes lying = batch;
    lying[field] = std::byte{0x7f};
    if (field != batch_layout::kBatchLength) renew_crc(lying);
    EXPECT_LE(cost_of(lying).peak_bytes, 4096U);
  }
}

TEST_F(Bombs, NestedInEachOtherAreOnlyOpenedOnce) {
  Bytes inner = gzip_bomb(1);
  std::string content = begin_of_giant_record(inner.size());
  content.append(as_text(inner));
  content.push_back('\0');
  const Cost cost = cost_of(batch_around(Codec::kGzip, content, 1));
  EXPECT_FALSE(cost.error);
  EXPECT_LE(cost.peak_bytes, kDecompressorBytesMax);
}

class SteadyState : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, SteadyState, testing::ValuesIn(kAllCodecs),
                         [](const auto& test) { return std::string(codec_name(test.param)); });

TEST_P(SteadyState, OfValidationTouchesNoHeap) {
  if (!AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
  const Bytes batch = build_owned({.codec = GetParam()}, random_records(1, 100, 1000));
  Decompressor decompressor;
  RecordErrors errors;
  const BatchRules rules = rules_at_example_time();
  ASSERT_TRUE(validate_batch(batch, rules, decompressor, errors).has_value());
  const AllocationCount counted;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(validate_batch(batch, rules, decompressor, errors).has_value());
  EXPECT_EQ(counted.allocations(), 0U);
}

}  // namespace
}  // namespace braid::protocol
