// Fails each allocation of each codec in turn: memory that runs out is never called a fault of the bytes.
#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <string>

#include "protocol/base/test_allocations.h"
#include "protocol/records/compression.h"
#include "protocol/records/decompression.h"
#include "protocol/records/test_batches.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();

/// Larger than what any codec takes at once.
Bytes content() {
  Bytes bytes(1'000'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i / 1000 % 251);
  return bytes;
}

Result<void> pack(Codec codec, ByteView from, Bytes& packed) {
  Compressor compressor;
  compressor.start(codec, level_range(codec).ordinary, packed, kNoBound);
  TRY_DO(compressor.write(from));
  return compressor.finish();
}

Result<void> unpack(Codec codec, ByteView packed, std::size_t& content_bytes) {
  Decompressor decompressor;
  decompressor.start(codec, packed, kNoBound);
  while (true) {
    TRY(const ByteView piece, decompressor.next());
    content_bytes = decompressor.produced_bytes();
    if (piece.empty()) return ok();
  }
}

/// Runs `work` until it succeeds, failing its first allocation, then its second … Returns how many there are.
template <class Work>
std::size_t fail_each_allocation(Work work) {
  for (std::size_t ordinal = 1;; ++ordinal) {
    const AllocationFailure failure(ordinal);
    bool thrown = false;
    Result<void> outcome = ok();
    try {
      outcome = work();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    EXPECT_FALSE(outcome.has_error()) << "allocation " << ordinal << ": " << outcome.error().message();
    if (!failure.happened()) return ordinal - 1;
    EXPECT_TRUE(thrown) << "allocation " << ordinal;
  }
}

class OutOfMemory : public testing::TestWithParam<Codec> {
 protected:
  void SetUp() override {
    if (!AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
  }
};
INSTANTIATE_TEST_SUITE_P(Codecs, OutOfMemory, testing::ValuesIn(kAllCodecs),
                         [](const auto& test) { return std::string(codec_name(test.param)); });

TEST_P(OutOfMemory, IsThrownByADecompressorAndNotBlamedOnTheBytes) {
  Bytes packed;
  ASSERT_TRUE(pack(GetParam(), content(), packed).has_value());
  std::size_t content_bytes = 0;
  EXPECT_GT(fail_each_allocation([&] { return unpack(GetParam(), packed, content_bytes); }), 0U);
  EXPECT_EQ(content_bytes, content().size());
}

TEST_P(OutOfMemory, IsThrownByACompressorAndBreaksNoInvariant) {
  const Bytes from = content();
  EXPECT_GT(fail_each_allocation([&] {
              Bytes packed;
              return pack(GetParam(), from, packed);
            }),
            0U);
}

}  // namespace
}  // namespace braid::protocol
