// The bytes of entries: the examples of docs/formats/commit_log.md, and what damage looks like.
#include "storage/commitlog/commit_log_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "protocol/base/crc32c.h"
#include "protocol/base/hex.h"
#include "protocol/records/record_batch.h"
#include "storage/commitlog/control_entry.h"
#include "storage/commitlog/document_example.h"
#include "storage/test_batch.h"

namespace braid::storage {
namespace {

using protocol::Bytes;

constexpr std::uint32_t kSeed = 0x01020304;

Bytes whole_entry(EntryHeader header, ByteView payload) {
  header.size_bytes = static_cast<std::int32_t>(entry_size(static_cast<std::int64_t>(payload.size())));
  header.padding_bytes =
      static_cast<std::uint8_t>(header.size_bytes - kEntryHeaderBytes - static_cast<std::int64_t>(payload.size()));
  Bytes entry(static_cast<std::size_t>(header.size_bytes));
  std::ranges::copy(encode(header, kSeed), entry.begin());
  std::ranges::copy(payload, entry.begin() + kEntryHeaderBytes);
  return entry;
}

EntryHeader created() {
  EntryHeader header;
  header.type = EntryType::kCreated;
  header.position = LogPosition{4096};
  header.incarnation = 1;
  header.topic.bytes.fill(0x11);
  header.queue = QueueId{5};
  header.payload_crc = protocol::crc32c(encode_created(1, "orders"));
  return header;
}

Bytes batch_entry(EntryHeader& header) {
  Bytes batch = make_batch({.count = 3, .body_bytes = 21, .timestamp_max = 77, .seed = 1});
  protocol::stamp(batch, 1000, 4);
  header = header_of_batch(batch);
  header.position = LogPosition{8192};
  header.base = Offset{1000};
  header.epoch = LeaderEpoch{4};
  const Bytes entry = whole_entry(header, batch);
  header = read_header(entry, kSeed, header.position).header;
  return entry;
}

Bytes documented(const char* fence) {
  std::string digits;
  for (const std::string& line : example_lines("docs/formats/commit_log.md", fence))
    digits += line.substr(0, line.find('#'));
  const auto bytes = protocol::from_hex(digits);
  return bytes.has_value() ? *bytes : Bytes{};
}

TEST(CommitLogFormat, MatchesTheDocument) {
  EXPECT_EQ(protocol::to_hex(whole_entry(created(), encode_created(1, "orders"))),
            protocol::to_hex(documented("hex created")));
  EntryHeader stamped = created();
  stamped.synced = LogPosition{4096};
  EXPECT_EQ(protocol::to_hex(whole_entry(stamped, encode_created(1, "orders"))),
            protocol::to_hex(documented("hex stamped")));
}

TEST(CommitLogFormat, ReadsBackWhatItWrote) {
  EntryHeader header;
  const Bytes entry = batch_entry(header);
  EXPECT_EQ(header.count, 3);
  EXPECT_EQ(header.timestamp_max, 77);
  EXPECT_EQ(header.end().value - header.position.value, static_cast<std::int64_t>(entry.size()));
  EXPECT_TRUE(payload_matches(header, entry));
}

TEST(CommitLogFormat, NoticesEveryFlippedBitOfHeaderPayloadAndPadding) {
  EntryHeader header;
  Bytes entry = batch_entry(header);
  for (std::size_t bit = 0; bit < entry.size() * 8; ++bit) {
    entry[bit / 8] ^= std::byte{1} << (bit % 8);
    const ReadHeader read = read_header(entry, kSeed, header.position);
    EXPECT_FALSE(read.fault == HeaderFault::kNone && payload_matches(read.header, entry)) << "bit " << bit;
    entry[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(CommitLogFormat, TakesNoEntryFromAnotherPlaceOrAnotherStore) {
  EntryHeader header;
  const Bytes entry = batch_entry(header);
  EXPECT_EQ(read_header(entry, kSeed, LogPosition{8200}).fault, HeaderFault::kNotAnEntry);
  EXPECT_EQ(read_header(entry, kSeed + 1, header.position).fault, HeaderFault::kNotAnEntry);
  EXPECT_EQ(read_header(ByteView(entry).first(87), kSeed, header.position).fault, HeaderFault::kNotAnEntry);
}

TEST(CommitLogFormat, TakesNoNewHeaderOverAnOldPayload) {
  EntryHeader header;
  const Bytes entry = batch_entry(header);
  Bytes other = make_batch({.count = 3, .body_bytes = 21, .timestamp_max = 77, .seed = 2});
  protocol::stamp(other, 1000, 4);
  Bytes spliced = entry;
  std::ranges::copy(other, spliced.begin() + kEntryHeaderBytes);
  EXPECT_FALSE(payload_matches(header, spliced));
}

TEST(CommitLogFormat, ReadsAnEntryOfWhichThePayloadCrcIsZero) {
  EntryHeader header = created();
  header.payload_crc = 0;
  header.type = EntryType::kSyncMark;
  header.size_bytes = kEntryHeaderBytes;
  EXPECT_TRUE(payload_matches(header, whole_entry(header, {})));
  EXPECT_EQ(read_header(whole_entry(header, {}), kSeed, header.position).fault, HeaderFault::kNone);
}

TEST(CommitLogFormat, RefusesATypeThatItDoesNotKnow) {
  EntryHeader header = created();
  header.type = static_cast<EntryType>(kEntryTypeLast + 1);
  EXPECT_EQ(read_header(whole_entry(header, {}), kSeed, header.position).fault, HeaderFault::kUnknownType);
}

TEST(ControlEntry, RefusesPayloadsThatEndEarlyOrLate) {
  SnapshotPiece piece;
  piece.first_piece = LogPosition{64};
  piece.partitions.push_back({.topic = {},
                              .queue = QueueId{1},
                              .indexing = 2,
                              .name = "t",
                              .start = Offset{1},
                              .end = Offset{3},
                              .epochs = {{LeaderEpoch{1}, Offset{1}}},
                              .kept_as_of = Offset{2},
                              .kept = Bytes(3)});
  piece.files = {LogPosition{0}};
  Bytes payload = encode(piece, true);
  EXPECT_EQ(decode_snapshot_piece(payload, true)->partitions, piece.partitions);
  EXPECT_EQ(decode_snapshot_piece(payload, true)->files, piece.files);
  for (std::size_t size = 0; size < payload.size(); ++size)
    EXPECT_FALSE(decode_snapshot_piece(ByteView(payload).first(size), true)) << size;
  payload.resize(payload.size() + 1);
  EXPECT_FALSE(decode_snapshot_piece(payload, true));
}

}  // namespace
}  // namespace braid::storage
