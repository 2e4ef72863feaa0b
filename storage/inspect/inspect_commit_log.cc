#include "storage/inspect/inspect_commit_log.h"

#include <algorithm>

#include "storage/inspect/checkpoint_reading.h"
#include "storage/inspect/entry_text.h"
#include "storage/inspect/log_source.h"
#include "storage/inspect/log_walk.h"
#include "storage/inspect/read_only_files.h"

namespace braid::storage {
InspectSummary inspect_commit_log(FileSystem& files, std::string_view path, const LogInspection& options,
                                  InspectSink& sink) {
  ReadOnlyFiles seen(files, "");
  InspectOutput out(options.format, sink);
  const auto place = find_place(seen, path, out);
  if (!place) return out.summary();
  const auto source = open_log(seen, *place, out);
  if (!source) return out.summary();

  TopicNames names;
  LogPosition proven{0};
  for (int slot = 0; slot < 2; ++slot) {
    const SlotReading reading = read_slot(seen, *place, *source, slot);
    if (!reading.checkpoint) continue;
    // Also one that says more than there is left: that is what is missing.
    if (place->is_shard) proven = std::max(proven, reading.checkpoint->header.position);
    for (const auto& [id, partition] : reading.checkpoint->state.partitions())
      names.add(partition.identity->topic, partition.identity->name);
  }

  out.heading(entry_heading());
  LogWalk walk(seen, *source, out);
  walk.run({.from = options.from, .to = options.to, .proven = proven}, [&](const LogScan::Found& found) {
    names.learn(found);
    if (out.summary().rows >= options.rows_max) return false;
    const LogPosition position = found.header.position;
    out.row(
        entry_row(options.format, found, source->path_of(position), source->geometry.place_in_file(position), names));
    return out.summary().rows < options.rows_max;
  });
  return out.summary();
}

}  // namespace braid::storage
