#include "storage/inspect/inspect.h"

#include "protocol/base/printable.h"
#include "storage/inspect/json_row.h"

namespace braid::storage {
namespace {

std::string as_text(const InspectFinding& finding) {
  std::string line = "! ";
  if (!finding.path.empty()) line += protocol::printable(finding.path);
  if (finding.at) line += " at " + std::to_string(*finding.at);
  if (finding.position)
    line += (finding.path.empty() ? "position " : ", position ") + std::to_string(finding.position->value);
  if (line.size() > 2) line += ": ";
  line += protocol::printable(finding.what);
  if (finding.bytes) line += " (" + std::to_string(*finding.bytes) + " bytes)";
  return line;
}

std::string as_json(const InspectFinding& finding) {
  JsonRow row;
  row.text("finding", finding.what);
  if (!finding.path.empty()) row.text("file", finding.path);
  if (finding.at) row.number("at", *finding.at);
  if (finding.position) row.number("position", finding.position->value);
  if (finding.bytes) row.number("bytes", *finding.bytes);
  return row.line();
}

}  // namespace

std::string finding_line(InspectFormat format, const InspectFinding& finding) {
  return format == InspectFormat::kJson ? as_json(finding) : as_text(finding);
}

void InspectOutput::row(std::string_view line) {
  if (enough_) return;
  ++summary_.rows;
  enough_ = !sink_.row(line);
}

void InspectOutput::heading(std::string_view line) {
  if (format_ == InspectFormat::kText && !enough_) enough_ = !sink_.row(line);
}

void InspectOutput::finding(const InspectFinding& finding) {
  ++summary_.findings;
  if (!enough_) enough_ = !sink_.finding(finding);
}

}  // namespace braid::storage
