#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"

namespace braid::storage {

/// One line of an example in a document: bytes in hex, then what they stand for.
struct HexExample {
  protocol::Bytes bytes;
  std::string meaning;  // behind the '#', up to a ':'
};

/// Lines of a file of the source tree, for tests that hold documents and fixtures to the code. None if it can't be
/// read.
std::vector<std::string> source_lines(const std::string& path);

/// The lines between ```fence and ``` in a document, without empty ones.
std::vector<std::string> example_lines(const std::string& document, std::string_view fence);

/// The same, taken apart at '#'; lines that are not hex are left out.
std::vector<HexExample> hex_examples(const std::string& document, std::string_view fence);

/// "00 ff  # meaning: remark" taken apart; no bytes if they are not hex.
HexExample hex_example(std::string_view line);

}  // namespace braid::storage
