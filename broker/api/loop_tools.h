#pragma once

#include "protocol/records/compression.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_errors.h"

namespace braid::broker {

/// Memory that the handlers of one loop use again and again. One thread.
struct LoopTools {
  protocol::Decompressor decompressor;
  protocol::Compressor compressor;
  protocol::RecordErrors record_errors;
};

}  // namespace braid::broker
