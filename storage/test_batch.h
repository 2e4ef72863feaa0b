#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/bytes.h"

/// Record batches for tests: valid headers and CRC, a body of random bytes that nobody decodes.
namespace braid::storage {

struct TestBatch {
  std::int32_t count = 1;
  std::size_t body_bytes = 20;
  std::int64_t timestamp_max = 0;
  std::uint64_t seed = 0;
};

protocol::Bytes make_batch(const TestBatch& batch);

/// The tags that every test gives a batch, and that TagSource derives again from its bytes: some 0, some repeated.
std::vector<std::int64_t> tags_of_test_batch(protocol::ByteView batch);

}  // namespace braid::storage
