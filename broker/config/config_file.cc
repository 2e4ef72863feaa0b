#include "broker/config/config_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "broker/config/properties.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

/// Bytes of the file; what went wrong in `problem`.
std::string read_text(const std::string& path, std::string& problem) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    problem = "can't open " + path + ": " + std::strerror(errno);
    return {};
  }
  std::string text(protocol::kConfigFileBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) problem = "can't read " + path;
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > protocol::kConfigFileBytesMax)
    problem = path + " is larger than " + std::to_string(protocol::kConfigFileBytesMax) + " bytes";
  return text;
}

}  // namespace

ConfigFile load_config_file(const std::string& path) {
  ConfigFile file;
  const std::string text = read_text(path, file.problem);
  if (!file.problem.empty()) return file;

  PropertiesText parsed = parse_properties(text);
  if (parsed.fault) file.problem = path + ":" + std::to_string(parsed.fault->line) + ": " + parsed.fault->reason;
  for (Property& property : parsed.properties) {
    file.entries.push_back({std::move(property.key), std::move(property.value), ConfigOrigin::kFile,
                            path + ":" + std::to_string(property.line)});
  }
  return file;
}

}  // namespace braid::broker
