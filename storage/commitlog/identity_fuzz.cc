// Arbitrary bytes as the small files: an identity that is found is found again and whole in both slots, a superblock is
// judged, a queue's time that is known is one that was written.
//
// Input: a byte of flags, then the bytes. Flag 1: the checksums of the identity's slots are made to fit.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/base/check.h"
#include "protocol/base/crc32c.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/identity.h"
#include "storage/commitlog/queue_run.h"
#include "storage/commitlog/queue_times_format.h"
#include "storage/commitlog/superblock.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using protocol::check;

constexpr std::size_t kSlotBytes = 4096;
constexpr std::size_t kCoveredEnd = 80;

void fuzz_identity_file(Bytes bytes, bool repaired) {
  if (repaired) {
    for (std::size_t slot = 0; slot + kCoveredEnd <= bytes.size(); slot += kSlotBytes)
      protocol::Writer(protocol::MutableBytes(bytes).subspan(slot + 4))
          .u32(protocol::crc32c(protocol::ByteView(bytes).subspan(slot + 8, kCoveredEnd - 8)));
  }
  MemoryFileSystem files;
  {
    const auto file = files.open("identity", {.mode = OpenMode::kCreate});
    check((*file)->write(0, bytes).has_value());
  }
  const auto found = load_identity(files);
  if (found.has_error()) return;
  check(found->has_value(), "the file is there");
  const auto again = load_identity(files);
  check(again.has_value() && again->has_value() && (**again).identity == (**found).identity, "it is found again");
  check(!(**again).repaired, "a damaged slot was written again");
}

void fuzz_times(protocol::ByteView bytes) {
  for (std::size_t at = 0; at + kQueueTimeBytes <= bytes.size(); at += kQueueTimeBytes) {
    const auto slot = bytes.subspan(at).first<kQueueTimeBytes>();
    const Offset page{static_cast<std::int64_t>(at)};
    const std::int64_t timestamp = decode_time(page, slot);
    if (timestamp == kUnknownTimestamp) continue;
    std::array<std::byte, kQueueTimeBytes> written;
    encode_time(page, timestamp, written);
    check(std::ranges::equal(written, slot), "a time that is known is one that was written");
  }
}

}  // namespace

void fuzz_small_files(protocol::ByteView input) {
  if (input.empty() || input.size() > 3 * kSlotBytes) return;
  const protocol::ByteView bytes = input.subspan(1);
  fuzz_identity_file(Bytes(bytes.begin(), bytes.end()), (std::to_integer<unsigned>(input[0]) & 1U) != 0);
  fuzz_times(bytes);
  const Superblock expected{protocol::uuid_from_halves(1, 2), LogPosition{0}, 128 * 1024};
  check(judge_superblock(bytes, 7, expected) != SuperblockState::kOurs ||
            std::ranges::equal(bytes.first(64), protocol::ByteView(encode(expected, 7)).first(64)),
        "only what we would write is ours");
}

}  // namespace braid::storage

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::storage::fuzz_small_files(std::as_bytes(std::span(data, size)));
  return 0;
}
