#include "storage/commitlog/document_example.h"

#include <fstream>

#include "protocol/base/hex.h"

namespace braid::storage {

std::vector<std::string> source_lines(const std::string& path) {
  std::ifstream file(std::string(BRAID_SOURCE_DIR) + "/" + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> example_lines(const std::string& document, std::string_view fence) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : source_lines(document)) {
    if (line.starts_with("```")) {
      inside = !inside && line.substr(3) == fence;
    } else if (inside && !line.empty()) {
      found.push_back(line);
    }
  }
  return found;
}

std::vector<HexExample> hex_examples(const std::string& document, std::string_view fence) {
  std::vector<HexExample> examples;
  for (const std::string& line : example_lines(document, fence)) {
    HexExample example = hex_example(line);
    if (!example.bytes.empty()) examples.push_back(std::move(example));
  }
  return examples;
}

HexExample hex_example(std::string_view line) {
  const std::size_t mark = line.find('#');
  std::string_view digits = line.substr(0, mark);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  HexExample example;
  if (const auto bytes = protocol::from_hex(digits); bytes.has_value()) example.bytes = *bytes;
  if (mark == std::string_view::npos) return example;
  std::string_view meaning = line.substr(mark + 1);
  if (meaning.starts_with(' ')) meaning.remove_prefix(1);
  example.meaning = meaning.substr(0, meaning.find(':'));
  return example;
}

}  // namespace braid::storage
