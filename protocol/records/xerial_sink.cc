#include "protocol/records/xerial_sink.h"

#include <snappy.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "protocol/base/limits.h"
#include "protocol/records/snappy_source.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {

std::size_t XerialSink::staging_bytes() {
  return sizeof(std::int32_t) + snappy::MaxCompressedLength(kXerialBlockBytes);
}

void XerialSink::start() {
  pending_.clear();
  begun_ = false;
}

Result<void> XerialSink::begin_once(ByteSink& out) {
  if (std::exchange(begun_, true)) return ok();
  std::array<std::byte, kXerialMagic.size() + 2 * sizeof(std::int32_t)> header{};
  Writer in_order(header);
  in_order.bytes(as_bytes(kXerialMagic));
  in_order.i32(kXerialVersion);
  in_order.i32(kXerialVersion);
  return out.append(header);
}

Result<void> XerialSink::write(ByteView piece, ByteSink& out, MutableBytes staging) {
  TRY_DO(begin_once(out));
  while (!piece.empty()) {
    if (pending_.empty() && piece.size() >= kXerialBlockBytes) {
      TRY_DO(write_block(piece.first(kXerialBlockBytes), out, staging));
      piece = piece.subspan(kXerialBlockBytes);
      continue;
    }
    const ByteView added = piece.first(std::min(piece.size(), kXerialBlockBytes - pending_.size()));
    pending_.insert(pending_.end(), added.begin(), added.end());
    piece = piece.subspan(added.size());
    if (pending_.size() < kXerialBlockBytes) continue;
    TRY_DO(write_block(pending_, out, staging));
    pending_.clear();
  }
  return ok();
}

Result<void> XerialSink::finish(ByteSink& out, MutableBytes staging) {
  TRY_DO(begin_once(out));
  if (pending_.empty()) return ok();
  return write_block(pending_, out, staging);
}

Result<void> XerialSink::write_block(ByteView content, ByteSink& out, MutableBytes staging) {
  std::size_t packed_bytes = 0;
  const MutableBytes packed = staging.subspan(sizeof(std::int32_t));
  snappy::RawCompress(reinterpret_cast<const char*>(content.data()), content.size(),
                      reinterpret_cast<char*>(packed.data()), &packed_bytes);
  Writer(staging).i32(static_cast<std::int32_t>(packed_bytes));
  return out.append(staging.first(sizeof(std::int32_t) + packed_bytes));
}

}  // namespace braid::protocol
