// Arbitrary bytes as a checkpoint, its checksums made to fit: what is taken for a state is written again and read
// again, and is the same.
#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/base/check.h"
#include "protocol/base/crc32c.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/checkpoint.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using protocol::check;

constexpr std::size_t kHeaderBytes = 64;
constexpr LogGeometry kGeometry{128 * 1024};
const protocol::Uuid kStore = protocol::uuid_from_halves(1, 2);

void repair(Bytes& slot) {
  const protocol::MutableBytes bytes(slot);
  protocol::Writer(bytes.subspan(12)).u32(protocol::crc32c(ByteView(slot).subspan(kHeaderBytes)));
  protocol::Writer(bytes.subspan(48)).u64(slot.size() - kHeaderBytes);
  protocol::Writer(bytes.subspan(56)).u32(protocol::crc32c(std::as_bytes(std::span(kStore.bytes))));
  protocol::Writer(bytes.subspan(4)).u32(protocol::crc32c(ByteView(slot).subspan(8, kHeaderBytes - 8)));
}

}  // namespace

void fuzz_checkpoint(ByteView input) {
  Bytes slot(input.begin(), input.end());
  static_cast<void>(read_checkpoint_header(slot, kStore));
  if (slot.size() < kHeaderBytes) return;
  repair(slot);
  const auto header = read_checkpoint_header(slot, kStore);
  if (!header) return;
  const auto state = decode_checkpoint(slot, kGeometry);
  if (!state) return;
  const Bytes once = encode_checkpoint(*header, kStore, *state);
  const auto same_header = read_checkpoint_header(once, kStore);
  check(same_header && *same_header == *header, "a header is read as it was written");
  const auto same_state = decode_checkpoint(once, kGeometry);
  check(same_state.has_value(), "a state is read again");
  check(encode_checkpoint(*header, kStore, *same_state).size() == once.size(), "and is the same");
}

}  // namespace braid::storage

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::storage::fuzz_checkpoint(std::as_bytes(std::span(data, size)));
  return 0;
}
