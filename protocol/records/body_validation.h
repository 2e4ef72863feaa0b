#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/result.h"
#include "protocol/records/batch_validation.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_errors.h"

namespace braid::protocol {

/// What the records of a batch turned out to be.
struct BodyFindings {
  std::size_t content_bytes = 0;
  std::int64_t max_timestamp = kNoTimestamp;
  std::int32_t max_timestamp_offset_delta = 0;  // of the first record that has it
};

/// The part of validate_batch() that reads records; its contract holds here. The header was found right already.
Result<BodyFindings> validate_body(const RecordBatch& batch, const BatchRules& rules, Decompressor& decompressor,
                                   RecordErrors& record_errors);

}  // namespace braid::protocol
