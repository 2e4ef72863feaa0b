#include "storage/commitlog/tag_hash.h"

#include <cstddef>

namespace braid::storage {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point = kReplacement;
  std::size_t bytes = 1;  // taken from the text; of ill-formed text the longest part that could have begun a character
};

/// What may follow a lead byte: how many bytes, and the range of the first of them (the others are 80…BF).
struct Lead {
  std::size_t followers = 0;
  unsigned second_first = 0x80;
  unsigned second_last = 0xBF;
};

Lead lead_of(unsigned byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};  // shorter forms exist for what lies below
  if (byte >= 0xE1 && byte <= 0xEF) return {2};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};  // nothing above U+10FFFF
  if (byte >= 0xF1 && byte <= 0xF3) return {3};
  return {0};
}

Decoded decode_first(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  if (at(0) < 0x80) return {at(0), 1};
  const Lead lead = lead_of(at(0));
  if (lead.followers == 0) return {};

  char32_t code_point = at(0) & (0x3FU >> lead.followers);
  for (std::size_t i = 1; i <= lead.followers; ++i) {
    const unsigned first = i == 1 ? lead.second_first : 0x80;
    const unsigned last = i == 1 ? lead.second_last : 0xBF;
    if (i >= text.size() || at(i) < first || at(i) > last) return {kReplacement, i};
    code_point = (code_point << 6) | (at(i) & 0x3F);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;  // no character: Java replaces it as a whole
  return {surrogate ? kReplacement : code_point, lead.followers + 1};
}

}  // namespace

std::int64_t tag_hash(std::string_view tag) {
  std::uint32_t hash = 0;
  const auto add = [&](char32_t unit) { hash = 31 * hash + static_cast<std::uint32_t>(unit); };
  while (!tag.empty()) {
    const Decoded next = decode_first(tag);
    tag.remove_prefix(next.bytes);
    if (next.code_point < 0x10000) {
      add(next.code_point);
    } else {
      add(0xD800 + ((next.code_point - 0x10000) >> 10));
      add(0xDC00 + ((next.code_point - 0x10000) & 0x3FF));
    }
  }
  return static_cast<std::int32_t>(hash);
}

}  // namespace braid::storage
