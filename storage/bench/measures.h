#pragma once

#include "storage/bench/workspace.h"

/// What ./dev bench storage measures, a group each; goals and why: docs/measurements/README.md.
namespace braid::storage {

void measure_raw_disk(Bench& bench);
void measure_durable_appends(Bench& bench);
void measure_unsynced_appends(Bench& bench);
void measure_checkpoint_under_load(Bench& bench);

void measure_idle_partitions(Bench& bench);
void measure_opening(Bench& bench);

void measure_reads(Bench& bench);

}  // namespace braid::storage
