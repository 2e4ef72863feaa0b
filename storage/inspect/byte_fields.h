#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/inspect/inspect.h"
#include "storage/inspect/json_row.h"

/// What single bytes of the log mean, field by field, as docs/formats has it. Pure; any thread.
namespace braid::storage {

/// One field as it stands in the file, true or not.
struct ByteField {
  std::size_t at = 0;  // from the structure's begin
  std::size_t bytes = 0;
  std::string_view name;
  std::string value;  // a number, or text
  bool is_number = true;
  std::string remark = {};  // for people
};

/// The 88 bytes of an entry's header; `bytes` holds at least those.
std::vector<ByteField> entry_header_fields(protocol::ByteView bytes);

/// The 61 bytes of a record batch's header; `bytes` holds at least those.
std::vector<ByteField> batch_header_fields(protocol::ByteView bytes);

/// A line a field for people; `at` is where the structure begins in the file.
void tell_fields(const std::vector<ByteField>& fields, std::int64_t at, InspectOutput& out);
/// A member a field.
void add_fields(const std::vector<ByteField>& fields, JsonRow& row);

}  // namespace braid::storage
