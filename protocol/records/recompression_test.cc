#include "protocol/records/recompression.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "protocol/records/control_batch.h"
#include "protocol/records/record_batch_builder.h"
#include "protocol/records/test_batches.h"

namespace braid::protocol {
namespace {

constexpr RecompressionLimits kWide{.batch_bytes_max = 10'000'000, .content_bytes_max = 10'000'000};

BatchProperties producer_properties(Codec codec) {
  return {.base_offset = 77,
          .partition_leader_epoch = 5,
          .codec = codec,
          .producer_id = 9,
          .producer_epoch = 4,
          .base_sequence = 3,
          .transactional = true};
}

class FromTo : public testing::TestWithParam<std::tuple<Codec, Codec>> {};
INSTANTIATE_TEST_SUITE_P(Codecs, FromTo, testing::Combine(testing::ValuesIn(kAllCodecs), testing::ValuesIn(kAllCodecs)),
                         [](const auto& test) {
                           return std::string(codec_name(std::get<0>(test.param))) + "_to_" +
                                  std::string(codec_name(std::get<1>(test.param)));
                         });

TEST_P(FromTo, KeepsHeaderAndRecordsAndMakesTheCrcMatch) {
  const auto [from, to] = GetParam();
  const auto records = random_records(4, 200, 500);
  const Bytes before = build_owned(producer_properties(from), records);
  Decompressor decompressor;
  Compressor compressor;
  Bytes out(7);
  const auto done = recompress(RecordBatch(before), {.codec = to}, kWide, decompressor, compressor, out);
  ASSERT_TRUE(done.has_value()) << done.error().message();
  const Bytes after(out.begin() + 7, out.end());
  const RecordBatch batch(after);
  EXPECT_EQ(batch.codec(), to);
  EXPECT_TRUE(batch.crc_matches());
  EXPECT_EQ(batch.batch_length(), static_cast<std::int32_t>(after.size() - kBatchPrefixBytes));
  EXPECT_EQ(read_owned(after), records);

  // Whatever path it took, a batch unpacked again has the bytes of one that was never packed.
  Bytes unpacked;
  ASSERT_TRUE(recompress(batch, {.codec = Codec::kNone}, kWide, decompressor, compressor, unpacked).has_value());
  EXPECT_EQ(unpacked, build_owned(producer_properties(Codec::kNone), records));
}

TEST_P(FromTo, StopsAtEitherLimitAndLeavesTheOutputAsItWas) {
  const auto [from, to] = GetParam();
  const auto records = random_records(4, 200, 500);
  const Bytes before = build_owned(producer_properties(from), records);
  const std::size_t content = build_owned(producer_properties(Codec::kNone), records).size() - kBatchHeaderBytes;
  Decompressor decompressor;
  Compressor compressor;
  Bytes out;
  ASSERT_TRUE(recompress(RecordBatch(before), {.codec = to}, kWide, decompressor, compressor, out).has_value());
  const std::size_t size = out.size();

  const auto error_within = [&](RecompressionLimits limits) {
    Bytes other(3);
    const auto done = recompress(RecordBatch(before), {.codec = to}, limits, decompressor, compressor, other);
    EXPECT_EQ(other.size(), done.has_value() ? size + 3 : 3);
    return done.has_error() ? done.error() : boost::system::error_code();
  };
  EXPECT_FALSE(error_within({.batch_bytes_max = size, .content_bytes_max = content}));
  EXPECT_EQ(error_within({.batch_bytes_max = size - 1, .content_bytes_max = content}), Errc::too_large);
  EXPECT_EQ(error_within({.batch_bytes_max = 10, .content_bytes_max = content}), Errc::too_large);
  if (from != to) {
    EXPECT_EQ(error_within({.batch_bytes_max = size, .content_bytes_max = content - 1}), Errc::too_large);
  }
}

TEST(Recompression, CopiesABatchThatHasTheCodecWhateverItsLevel) {
  BatchProperties properties = producer_properties(Codec::kGzip);
  properties.level = 1;
  const Bytes before = build_owned(properties, random_records(4, 20, 500));
  Decompressor decompressor;
  Compressor compressor;
  Bytes after;
  ASSERT_TRUE(
      recompress(RecordBatch(before), {.codec = Codec::kGzip, .level = 9}, kWide, decompressor, compressor, after));
  EXPECT_EQ(after, before);
}

TEST(Recompression, NeverCompressesAControlBatch) {
  const Bytes marker = build_end_txn_batch({.type = ControlType::kCommit}, WallTime{1});
  Decompressor decompressor;
  Compressor compressor;
  Bytes after;
  ASSERT_TRUE(recompress(RecordBatch(marker), {.codec = Codec::kZstd}, kWide, decompressor, compressor, after));
  EXPECT_EQ(after, marker);
}

TEST(Recompression, ReportsABodyThatDoesNotDecompress) {
  const Bytes lying = wrap_body(Codec::kZstd, as_bytes("not zstd at all"), 1);
  Decompressor decompressor;
  Compressor compressor;
  Bytes after;
  EXPECT_EQ(recompress(RecordBatch(lying), {.codec = Codec::kNone}, kWide, decompressor, compressor, after).error(),
            make_error_code(Errc::malformed));
  EXPECT_TRUE(after.empty());
}

}  // namespace
}  // namespace braid::protocol
