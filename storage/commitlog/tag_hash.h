#pragma once

#include <cstdint>
#include <string_view>

namespace braid::storage {

/// What a consume queue keeps of a record's tag: Java's String.hashCode over the UTF-16 form of the UTF-8 text,
/// sign-extended. 0 without a tag. Bytes that are not UTF-8 count as U+FFFD, as Java decodes them, so that any bytes
/// have one hash. Different tags may share a hash: whoever selects by tag compares the text afterwards. Any thread.
///
/// "TagA" is 2598919; "Aa" and "BB" are both 2112.
std::int64_t tag_hash(std::string_view tag);

}  // namespace braid::storage
