#pragma once

#include <cstdint>
#include <string_view>

namespace braid::protocol {

/// How the records of a batch are compressed; the numbers are those of the batch's attributes.
enum class Codec : std::uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };

inline constexpr std::int16_t kCodecMask = 0x07;
inline constexpr std::uint8_t kCodecLast = static_cast<std::uint8_t>(Codec::kZstd);

/// Kafka's word for it, as in `compression.type`.
constexpr std::string_view codec_name(Codec codec) {
  switch (codec) {
    case Codec::kNone:
      return "none";
    case Codec::kGzip:
      return "gzip";
    case Codec::kSnappy:
      return "snappy";
    case Codec::kLz4:
      return "lz4";
    case Codec::kZstd:
      return "zstd";
  }
  return "unknown";
}

/// Inclusive range of the levels that Kafka's `compression.*.level` keys allow, and the level taken when none is set.
/// Codecs without levels have 0 for all three.
struct LevelRange {
  int first = 0;
  int last = 0;
  int ordinary = 0;
};

/// gzip also allows no 0 (stored), though it lies within the range: level_allowed() knows.
constexpr LevelRange level_range(Codec codec) {
  switch (codec) {
    case Codec::kGzip:
      return {.first = -1, .last = 9, .ordinary = -1};
    case Codec::kLz4:
      return {.first = 1, .last = 17, .ordinary = 9};
    case Codec::kZstd:
      return {.first = -131072, .last = 22, .ordinary = 3};
    case Codec::kNone:
    case Codec::kSnappy:
      return {};
  }
  return {};
}

constexpr bool level_allowed(Codec codec, int level) {
  const LevelRange range = level_range(codec);
  return level >= range.first && level <= range.last && !(codec == Codec::kGzip && level == 0);
}

}  // namespace braid::protocol
