#pragma once

/// Faults that a store could have, switched on in one test program only: its linker puts the functions of mutants.cc
/// between the store's own (`--wrap`), so that the product knows nothing of them. Each must turn a test red.
namespace braid::storage {

enum class Mutant {
  kNone,
  kNoPayloadCheck,    // what an entry holds is believed
  kSameIncarnation,   // every life of the store has the first one's
  kEmptySnapshot,     // a file is freed though what it says is said nowhere else
  kAnyPosition,       // an entry is one wherever it lies
  kCheckpointTooNew,  // its position is that of the log, not that up to which all that is derived is complete
};

/// One at a time; test thread.
void switch_on(Mutant mutant);

}  // namespace braid::storage
