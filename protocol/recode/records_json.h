#pragma once

#include <cstdint>

#include "protocol/messages/json_text.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_batch_builder.h"
#include "protocol/records/record_iterator.h"

namespace braid::protocol {

/// The members of a batch's object, without its brackets.
void batch_members(const RecordBatch& batch, JsonText& out);

/// A record as an object.
void record_object(const Record& record, JsonText& out);

/// The same for one that is about to be written.
void record_object(std::int64_t offset, std::int64_t timestamp, const NewRecord& record, JsonText& out);

}  // namespace braid::protocol
