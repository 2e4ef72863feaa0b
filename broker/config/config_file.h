#pragma once

#include <string>
#include <vector>

#include "broker/config/config.h"

namespace braid::broker {

struct ConfigFile {
  std::vector<ConfigEntry> entries;
  std::string problem;  // empty when the file was read
};

/// Reads a properties file of at most kConfigFileBytesMax. Only a regular file: a pipe or a device may have no end, or
/// wait for one that never comes.
ConfigFile load_config_file(const std::string& path);

}  // namespace braid::broker
