// What each codec writes and reads back, and what it makes of framings that other clients write.
#include "protocol/records/compression.h"

#include <gtest/gtest.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zstd.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/records/decompression.h"
#include "protocol/records/test_batches.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();

Bytes bytes_of(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

Bytes random_bytes(std::uint32_t seed, std::size_t size, unsigned different_values) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % different_values);
  return bytes;
}

Result<Bytes> unpack(Codec codec, ByteView packed, std::size_t bytes_max = kNoBound) {
  Decompressor decompressor;
  Bytes buffer;
  TRY(const ByteView content, decompress(codec, packed, bytes_max, decompressor, buffer));
  return Bytes(content.begin(), content.end());
}

Bytes joined(const Bytes& first, const Bytes& second) {
  Bytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

class EachCodec : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, EachCodec, testing::ValuesIn(kAllCodecs),
                         [](const auto& test) { return std::string(codec_name(test.param)); });

TEST_P(EachCodec, ReadsWhatItWroteAtEverySizeAroundItsBlocks) {
  Compressor compressor;
  Decompressor decompressor;
  Bytes buffer;
  for (const std::size_t border :
       {std::size_t{2}, kXerialBlockBytes, kCompressionPieceBytes, kDecompressionPieceBytes, std::size_t{300'000}}) {
    for (const std::size_t size : {border - 1, border, border + 1, 2 * border}) {
      for (const unsigned different_values : {1U, 4U, 256U}) {
        const Bytes content = random_bytes(7, size, different_values);
        Bytes packed;
        compressor.start(GetParam(), level_range(GetParam()).ordinary, packed, kNoBound);
        ASSERT_TRUE(compressor.write(content).has_value());
        ASSERT_TRUE(compressor.finish().has_value());
        const auto unpacked = decompress(GetParam(), packed, kNoBound, decompressor, buffer);
        ASSERT_TRUE(unpacked.has_value()) << size << ": " << unpacked.error().message();
        ASSERT_TRUE(std::equal(unpacked->begin(), unpacked->end(), content.begin(), content.end())) << size;
      }
    }
  }
}

TEST_P(EachCodec, WritesTheSameContentInManySmallPiecesAsInOne) {
  const Bytes content = random_bytes(3, 200'000, 8);
  Compressor compressor;
  Bytes packed;
  compressor.start(GetParam(), level_range(GetParam()).ordinary, packed, kNoBound);
  for (std::size_t at = 0; at < content.size(); at += 777) {
    ASSERT_TRUE(compressor.write(ByteView(content).subspan(at, std::min<std::size_t>(777, content.size() - at))));
  }
  ASSERT_TRUE(compressor.finish().has_value());
  EXPECT_EQ(*unpack(GetParam(), packed), content);
}

TEST_P(EachCodec, HoldsNoContentAtAll) { EXPECT_TRUE(unpack(GetParam(), pack(GetParam(), {}))->empty()); }

TEST_P(EachCodec, StopsAtItsBound) {
  const Bytes content = random_bytes(3, 100'000, 256);
  const std::size_t size = pack(GetParam(), content).size();
  Compressor compressor;
  const auto packs_within = [&](std::size_t bound) {
    Bytes out;
    compressor.start(GetParam(), level_range(GetParam()).ordinary, out, bound);
    const bool fits = compressor.write(content).has_value() && compressor.finish().has_value();
    EXPECT_LE(out.size(), bound);
    return fits;
  };
  EXPECT_TRUE(packs_within(size));
  EXPECT_FALSE(packs_within(size - 1));
  EXPECT_FALSE(packs_within(0));
  EXPECT_TRUE(packs_within(size)) << "a compressor that hit its bound can be started again";
}

TEST_P(EachCodec, StopsReadingAtItsBound) {
  const Bytes packed = pack(GetParam(), random_bytes(3, 300'000, 4));
  EXPECT_TRUE(unpack(GetParam(), packed, 300'000).has_value());
  EXPECT_EQ(unpack(GetParam(), packed, 299'999).error(), make_error_code(Errc::too_large));
}

TEST_P(EachCodec, ReadsTheNextBodyAfterAnyFailure) {
  const Bytes content = random_bytes(5, 50'000, 16);
  const Bytes packed = pack(GetParam(), content);
  Decompressor decompressor;
  Bytes buffer;
  for (std::size_t cut = 0; cut < packed.size(); cut += 997) {
    if (GetParam() != Codec::kNone && GetParam() != Codec::kSnappy) {
      EXPECT_TRUE(decompress(GetParam(), ByteView(packed).first(cut), kNoBound, decompressor, buffer).has_error())
          << cut;
    } else {
      static_cast<void>(decompress(GetParam(), ByteView(packed).first(cut), kNoBound, decompressor, buffer));
    }
    const auto whole = decompress(GetParam(), packed, kNoBound, decompressor, buffer);
    ASSERT_TRUE(whole.has_value() && std::equal(whole->begin(), whole->end(), content.begin(), content.end())) << cut;
  }
}

TEST_P(EachCodec, EndsWithinItsBoundWhateverBitIsFlipped) {
  // Without checksums other content is no error; what counts is where it ends.
  const Bytes packed = pack(GetParam(), random_bytes(5, 3'000, 16));
  Decompressor decompressor;
  Bytes buffer;
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    Bytes flipped = packed;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    const auto unpacked = decompress(GetParam(), flipped, 1'000'000, decompressor, buffer);
    EXPECT_LE(unpacked.has_value() ? unpacked->size() : 0, 1'000'000U) << bit;
  }
}

TEST(Levels, AreKafkasAndEachOfThemReadsBack) {
  const Bytes content = random_bytes(5, 20'000, 16);
  Compressor compressor;
  for (const auto& [codec, levels] : std::vector<std::pair<Codec, std::vector<int>>>{
           {Codec::kGzip, {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
           {Codec::kLz4, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
           {Codec::kZstd, {-131072, -1000, -5, -1, 0, 1, 3, 9, 18, 22}}}) {
    for (const int level : levels) {
      Bytes packed;
      ASSERT_TRUE(level_allowed(codec, level));
      compressor.start(codec, level, packed, kNoBound);
      ASSERT_TRUE(compressor.write(content).has_value() && compressor.finish().has_value());
      EXPECT_EQ(*unpack(codec, packed), content) << codec_name(codec) << " " << level;
    }
    EXPECT_FALSE(level_allowed(codec, levels.front() - 1));
    EXPECT_FALSE(level_allowed(codec, levels.back() + 1));
  }
  EXPECT_FALSE(level_allowed(Codec::kGzip, 0));
}

/// Words, in which looking longer finds more.
Bytes words(std::size_t bytes_min) {
  std::mt19937 random(5);
  Bytes content;
  while (content.size() < bytes_min) {
    const std::string word = std::to_string(random() % 500) + " ";
    content.insert(content.end(), as_bytes(word).begin(), as_bytes(word).end());
  }
  return content;
}

std::size_t packed_size(Codec codec, int level, const Bytes& content) {
  Compressor compressor;
  Bytes packed;
  compressor.start(codec, level, packed, kNoBound);
  EXPECT_TRUE(compressor.write(content).has_value() && compressor.finish().has_value());
  return packed.size();
}

TEST(Levels, ChangeWhatIsWritten) {
  const Bytes content = words(200'000);
  for (const auto& [codec, quick, thorough] :
       {std::tuple(Codec::kGzip, 1, 9), std::tuple(Codec::kLz4, 9, 12), std::tuple(Codec::kZstd, 1, 19)}) {
    EXPECT_LT(packed_size(codec, thorough, content), packed_size(codec, quick, content)) << codec_name(codec);
  }
}

TEST(Levels, OfLz4BeginWithTheFastCompressorAtKafkasOrdinaryOne) {
  const Bytes content = words(200'000);
  EXPECT_GT(packed_size(Codec::kLz4, 9, content), packed_size(Codec::kLz4, 8, content));
  EXPECT_GT(packed_size(Codec::kLz4, 9, content), packed_size(Codec::kLz4, 10, content));
}

TEST(Gzip, ReadsSeveralMembersAsOneContent) {
  const Bytes both = joined(pack(Codec::kGzip, as_bytes("one ")), pack(Codec::kGzip, as_bytes("two")));
  EXPECT_EQ(*unpack(Codec::kGzip, both), bytes_of("one two"));
  const Bytes with_empty = joined(pack(Codec::kGzip, {}), both);
  EXPECT_EQ(*unpack(Codec::kGzip, with_empty), bytes_of("one two"));
  EXPECT_EQ(unpack(Codec::kGzip, joined(both, bytes_of("x"))).has_error(), true);
}

TEST(Gzip, RefusesZlibsOwnFraming) {
  EXPECT_EQ(unpack(Codec::kGzip, *from_hex("789c 4b 04 00 0062 0062")).error(), make_error_code(Errc::malformed));
}

TEST(Gzip, NoticesAWrongChecksumAndLength) {
  const Bytes packed = pack(Codec::kGzip, as_bytes("content"));
  for (std::size_t at = packed.size() - 8; at < packed.size(); ++at) {
    Bytes wrong = packed;
    wrong[at] ^= std::byte{1};
    EXPECT_EQ(unpack(Codec::kGzip, wrong).error(), make_error_code(Errc::malformed)) << at;
  }
}

std::string raw_snappy(std::string_view content) {
  std::string block;
  snappy::Compress(content.data(), content.size(), &block);
  return block;
}

std::string int32_text(std::size_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

const std::string kXerialHeader("\x82SNAPPY\0\0\0\0\1\0\0\0\1", 16);

TEST(Snappy, ReadsARawBlockOfAnySize) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{65'536}, std::size_t{3'000'000}}) {
    const Bytes content = random_bytes(9, size, 5);
    EXPECT_EQ(*unpack(Codec::kSnappy, as_bytes(raw_snappy(as_text(content)))), content) << size;
  }
}

TEST(Snappy, ReadsBlocksOfGrowingAndShrinkingSizeOneAfterTheOther) {
  Decompressor decompressor;
  Bytes buffer;
  for (const std::size_t size : {10U, 100'000U, 50U, 3'000'000U, 2'000'000U, 7U}) {
    const Bytes content = random_bytes(9, size, 5);
    const std::string packed = raw_snappy(as_text(content));
    const auto unpacked = decompress(Codec::kSnappy, as_bytes(packed), kNoBound, decompressor, buffer);
    ASSERT_TRUE(unpacked.has_value()) << size;
    EXPECT_TRUE(std::equal(unpacked->begin(), unpacked->end(), content.begin(), content.end())) << size;
  }
}

TEST(Snappy, WritesNoEmptyBlock) {
  const std::string content(kXerialBlockBytes, 'a');
  const std::string block = raw_snappy(content);
  const std::string expected = kXerialHeader + int32_text(block.size()) + block;
  EXPECT_EQ(to_hex(pack(Codec::kSnappy, as_bytes(content))), to_hex(as_bytes(expected)));
}

TEST(Snappy, WritesXerialFramingThatJavaReads) {
  const std::string content(kXerialBlockBytes + 5, 'a');
  const std::string first = raw_snappy(content.substr(0, kXerialBlockBytes));
  const std::string second = raw_snappy(content.substr(kXerialBlockBytes));
  const std::string expected = kXerialHeader + int32_text(first.size()) + first + int32_text(second.size()) + second;
  EXPECT_EQ(to_hex(pack(Codec::kSnappy, as_bytes(content))), to_hex(as_bytes(expected)));
}

TEST(Snappy, RefusesXerialFramingThatLies) {
  const std::string block = raw_snappy("content");
  const auto error_of = [](const std::string& packed) { return unpack(Codec::kSnappy, as_bytes(packed)).error(); };
  EXPECT_EQ(error_of(kXerialHeader + int32_text(0xffffffff) + block), make_error_code(Errc::malformed));
  EXPECT_EQ(error_of(kXerialHeader + int32_text(0) + block), make_error_code(Errc::malformed));
  EXPECT_EQ(error_of(kXerialHeader + int32_text(0x7fffffff) + block), make_error_code(Errc::truncated));
  EXPECT_EQ(error_of(kXerialHeader + int32_text(block.size() + 1) + block), make_error_code(Errc::truncated));
  EXPECT_EQ(error_of(kXerialHeader + int32_text(block.size() - 1) + block), make_error_code(Errc::malformed));
  EXPECT_EQ(error_of(kXerialHeader.substr(0, 15)), make_error_code(Errc::truncated));
  EXPECT_EQ(error_of(kXerialHeader.substr(0, 15) + "\2" + int32_text(block.size()) + block),
            make_error_code(Errc::malformed))
      << "a framing that version 1 can't read";
}

TEST(Snappy, RefusesABlockThatAnnouncesMoreThanItsBytesCanHold) {
  // A varint of 2^32 - 1, then one literal byte.
  EXPECT_EQ(unpack(Codec::kSnappy, *from_hex("ffffffff0f 00 61")).error(), make_error_code(Errc::malformed));
  EXPECT_EQ(unpack(Codec::kSnappy, *from_hex("02 00 61")).error(), make_error_code(Errc::malformed));
}

Bytes lz4_frame(ByteView content, const LZ4F_preferences_t& preferences) {
  Bytes frame(LZ4F_compressFrameBound(content.size(), &preferences));
  frame.resize(LZ4F_compressFrame(frame.data(), frame.size(), content.data(), content.size(), &preferences));
  return frame;
}

TEST(Lz4, ReadsEveryBlockSizeChecksumsAndContentSize) {
  const Bytes content = random_bytes(9, 5'000'000, 9);
  for (const auto block : {LZ4F_max64KB, LZ4F_max256KB, LZ4F_max1MB, LZ4F_max4MB}) {
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockSizeID = block;
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    preferences.frameInfo.blockChecksumFlag = LZ4F_blockChecksumEnabled;
    preferences.frameInfo.contentSize = content.size();
    EXPECT_EQ(*unpack(Codec::kLz4, lz4_frame(content, preferences)), content);
  }
}

TEST(Lz4, WritesIndependentBlocksAsJavaNeeds) {
  const Bytes packed = pack(Codec::kLz4, random_bytes(9, 200'000, 9));
  EXPECT_EQ(to_hex(ByteView(packed).first(6)), "04224d186040") << "magic, version 1 with independent blocks, 64 KiB";
}

TEST(Lz4, RefusesLinkedBlocksDictionariesAndWrongContentSize) {
  const Bytes content = random_bytes(9, 200'000, 9);
  LZ4F_preferences_t linked{};
  linked.frameInfo.blockMode = LZ4F_blockLinked;
  EXPECT_EQ(unpack(Codec::kLz4, lz4_frame(content, linked)).error(), make_error_code(Errc::malformed));
  LZ4F_preferences_t with_dictionary{};
  with_dictionary.frameInfo.blockMode = LZ4F_blockIndependent;
  with_dictionary.frameInfo.dictID = 5;
  EXPECT_EQ(unpack(Codec::kLz4, lz4_frame(content, with_dictionary)).error(), make_error_code(Errc::malformed));
  LZ4F_preferences_t sized{};
  sized.frameInfo.blockMode = LZ4F_blockIndependent;
  sized.frameInfo.contentSize = content.size();
  Bytes lying = lz4_frame(content, sized);
  lying[6] ^= std::byte{1};  // of the content size; the header checksum then fails
  EXPECT_EQ(unpack(Codec::kLz4, lying).error(), make_error_code(Errc::malformed));
}

Bytes zstd_frame(ByteView content, int level, int window_log, bool with_content_size) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  if (window_log != 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  if (with_content_size) ZSTD_CCtx_setPledgedSrcSize(context, content.size());
  Bytes frame(ZSTD_compressBound(content.size()));
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  // In two steps, so that zstd does not learn the size before it has written the header.
  ZSTD_inBuffer first{content.data(), content.size() / 2, 0};
  while (first.pos < first.size) ZSTD_compressStream2(context, &out, &first, ZSTD_e_continue);
  ZSTD_inBuffer second{content.data() + first.size, content.size() - first.size, 0};
  while (ZSTD_compressStream2(context, &out, &second, ZSTD_e_end) != 0) continue;
  frame.resize(out.pos);
  ZSTD_freeCCtx(context);
  return frame;
}

TEST(Zstd, ReadsFramesWithAndWithoutContentSizeAtAnyWindow) {
  const Bytes content = random_bytes(9, 3'000'000, 9);
  for (const bool with_content_size : {false, true}) {
    for (const int window_log : {10, 17, 23, 24, 27}) {
      const Bytes frame = zstd_frame(content, 1, window_log, with_content_size);
      const auto unpacked = unpack(Codec::kZstd, frame);
      ASSERT_TRUE(unpacked.has_value()) << window_log << ": " << unpacked.error().message();
      EXPECT_EQ(*unpacked, content) << window_log;
    }
  }
}

TEST(Zstd, ReadsTheHighestLevelWhoseWindowIsLargerThanItsMemory) {
  Bytes content = random_bytes(9, 400'000, 256);
  const Bytes copy = content;
  content.insert(content.end(), copy.begin(), copy.end());  // matches that reach 400,000 bytes back
  const Bytes frame = zstd_frame(content, 22, 0, false);
  EXPECT_LT(frame.size(), 450'000U);
  EXPECT_EQ(*unpack(Codec::kZstd, frame), content);
}

TEST(Zstd, RefusesAMatchBeyondItsMemory) {
  Bytes content = random_bytes(9, 10'000'000, 256);
  content.insert(content.end(), content.begin(), content.begin() + 500'000);  // reaches 10,000,000 bytes back
  const Bytes frame = zstd_frame(content, 1, 27, false);
  ASSERT_LT(frame.size(), 10'100'000U) << "the match was found";
  EXPECT_EQ(unpack(Codec::kZstd, frame).error(), make_error_code(Errc::malformed));
}

TEST(Zstd, ReadsASingleSegmentLargerThanItsWindow) {
  const Bytes content = random_bytes(9, 12'000'000, 200);
  const Bytes frame = zstd_frame(content, 1, 24, true);
  EXPECT_NE(frame[4] & std::byte{0x20}, std::byte{}) << "it is a single segment";
  EXPECT_EQ(*unpack(Codec::kZstd, frame), content);
}

TEST(Zstd, RefusesAWindowThatNoConsumerReads) {
  const Bytes frame = zstd_frame(random_bytes(9, 1'000, 9), 1, 28, false);
  EXPECT_EQ(unpack(Codec::kZstd, frame).error(), make_error_code(Errc::malformed));
}

TEST(Zstd, ReadsSeveralFramesAndPassesOverSkippableOnes) {
  const Bytes skippable = *from_hex("502a4d18 03000000 616263");
  const Bytes both =
      joined(joined(pack(Codec::kZstd, as_bytes("one ")), skippable), pack(Codec::kZstd, as_bytes("two")));
  EXPECT_EQ(*unpack(Codec::kZstd, both), bytes_of("one two"));
}

TEST(Zstd, RefusesDictionariesAndOldFormats) {
  EXPECT_TRUE(unpack(Codec::kZstd, *from_hex("28b52ffd 21 07 01 090000 61")).has_error()) << "dictionary 7";
  for (const char* magic : {"1eb52ffd", "22b52ffd", "23b52ffd", "24b52ffd", "25b52ffd", "26b52ffd", "27b52ffd"}) {
    EXPECT_EQ(unpack(Codec::kZstd, *from_hex(std::string(magic) + "2000010000")).error(),
              make_error_code(Errc::malformed));
  }
}

}  // namespace
}  // namespace braid::protocol
