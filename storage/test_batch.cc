#include "storage/test_batch.h"

#include "protocol/records/record_batch.h"
#include "protocol/wire/writer.h"
#include "storage/env/split_mix.h"

namespace braid::storage {

using protocol::Bytes;
using protocol::RecordBatch;

Bytes make_batch(const TestBatch& batch) {
  Bytes bytes(protocol::kBatchHeaderBytes + batch.body_bytes);
  protocol::Writer out(bytes);
  out.i64(0);
  out.i32(static_cast<std::int32_t>(bytes.size() - protocol::kBatchPrefixBytes));
  out.i32(protocol::kNoLeaderEpoch);
  out.i8(protocol::kBatchMagic);
  out.u32(0);
  out.i16(0);
  out.i32(batch.count - 1);
  out.i64(batch.timestamp_max);
  out.i64(batch.timestamp_max);
  out.i64(protocol::kNoProducerId);
  out.i16(protocol::kNoProducerEpoch);
  out.i32(protocol::kNoSequence);
  out.i32(batch.count);
  SplitMix random(batch.seed);
  while (out.position() < bytes.size()) out.u8(static_cast<std::uint8_t>(random.next()));
  protocol::renew_crc(bytes);
  return bytes;
}

std::vector<std::int64_t> tags_of_test_batch(protocol::ByteView batch) {
  const RecordBatch header(batch);
  std::vector<std::int64_t> tags;
  if (header.crc() % 3 == 0) return tags;
  SplitMix random(header.crc());
  for (std::int32_t i = 0; i <= header.last_offset_delta(); ++i)
    tags.push_back(static_cast<std::int64_t>(random.below(3)) * 2112);
  return tags;
}

}  // namespace braid::storage
