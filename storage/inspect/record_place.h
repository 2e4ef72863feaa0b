#pragma once

#include <cstdint>
#include <string>

#include "storage/commitlog/log_scan.h"
#include "storage/inspect/inspect.h"
#include "storage/types.h"

namespace braid::storage {

/// An entry as where it lies, field by field: header, the batch's header, and of the batch the record with an offset.
struct EntryPlace {
  ByteView entry;  // as far as it can be read; at least a header
  std::string path;
  std::int64_t at = 0;
};

void tell_entry_header(const EntryPlace& place, InspectOutput& out);
/// Nothing where the entry is too short for one.
void tell_batch_header(const EntryPlace& place, InspectOutput& out);
/// The record, or a finding that there is none such. `payload`: a whole batch.
void tell_record(const EntryPlace& place, ByteView payload, Offset offset, InspectOutput& out);

}  // namespace braid::storage
