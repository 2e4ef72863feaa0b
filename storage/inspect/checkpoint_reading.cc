#include "storage/inspect/checkpoint_reading.h"

#include <memory>
#include <set>
#include <utility>

#include "storage/commitlog/shard_reading.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/inspect/read_only_files.h"

namespace braid::storage {
namespace {

std::string words_for(CheckpointFault fault) {
  switch (fault) {
    case CheckpointFault::kNone:
      return {};
    case CheckpointFault::kShort:
      return "shorter than a header";
    case CheckpointFault::kNoMagic:
      return "no checkpoint: it does not begin with BRCP";
    case CheckpointFault::kHeaderCrc:
      return "the header's CRC does not match";
    case CheckpointFault::kNewer:
      return "of a version that this program does not know";
    case CheckpointFault::kForeign:
      return "of another store";
    case CheckpointFault::kCut:
      return "shorter than its header says";
    case CheckpointFault::kPayloadCrc:
      return "the payload's CRC does not match";
  }
  return {};
}

SlotReading read_once(FileSystem& files, const InspectedPlace& place, const LogSource& source, int slot) {
  SlotReading reading;
  const auto file = files.open(slot_path(place, slot), {.mode = OpenMode::kRead});
  if (file.has_error() && is_missing(file.error())) return reading;
  reading.is_there = true;
  const auto size = file.has_value() ? (*file)->size() : Result<std::uint64_t>(file.error());
  if (size.has_error()) {
    reading.fault = size.error().message();
    return reading;
  }
  reading.bytes = static_cast<std::int64_t>(*size);
  ReadOnlyFiles shard(files, place.shard);
  const protocol::Bytes bytes = load_checkpoint_slot(shard, slot);
  if (bytes.empty() && *size > 0) {
    reading.fault = "can't be read as a whole";
    return reading;
  }
  const ReadCheckpoint read = read_checkpoint(bytes, source.store);
  reading.fault = words_for(read.fault);
  if (read.fault != CheckpointFault::kNone) return reading;
  std::optional<ShardState> state = decode_checkpoint(bytes, source.geometry);
  if (!state) {
    reading.fault = "the payload makes no sense, though its CRC matches";
    return reading;
  }
  reading.checkpoint.emplace(CheckpointReading{.slot = slot, .header = read.header, .state = *std::move(state)});
  return reading;
}

}  // namespace

std::string slot_path(const InspectedPlace& place, int slot) {
  return path_in(place.shard, "checkpoint/" + std::to_string(slot));
}

SlotReading read_slot(FileSystem& files, const InspectedPlace& place, const LogSource& source, int slot) {
  SlotReading reading = read_once(files, place, source, slot);
  return reading.fault.empty() ? std::move(reading) : read_once(files, place, source, slot);
}

std::optional<CheckpointReading> newest_checkpoint(FileSystem& files, const InspectedPlace& place,
                                                   const LogSource& source) {
  std::optional<CheckpointReading> newest;
  for (int slot = 0; slot < 2; ++slot) {
    SlotReading reading = read_slot(files, place, source, slot);
    if (!reading.checkpoint || is_beyond_log(files, place, source, reading.checkpoint->header.position)) continue;
    if (!newest || reading.checkpoint->header.sequence > newest->header.sequence)
      newest.emplace(*std::move(reading.checkpoint));
  }
  return newest;
}

bool is_beyond_log(FileSystem& files, const InspectedPlace& place, const LogSource& source, LogPosition position) {
  std::set<LogPosition> existing;
  for (const auto& [file, path] : source.paths) existing.insert(file);
  ReadOnlyFiles shard(files, place.shard);
  return log_ends_before(shard, source.geometry, existing, position);
}

}  // namespace braid::storage
