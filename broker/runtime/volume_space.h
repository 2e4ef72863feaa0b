#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace braid::broker {

/// Of the volume that a directory lies on.
struct VolumeSpace {
  std::int64_t total_bytes = 0;
  std::int64_t usable_bytes = 0;  // by us, who may not be root
};

/// None when the system doesn't tell: the directory is gone, or there is none. Any thread; doesn't wait for a disk.
std::optional<VolumeSpace> volume_space(const std::string& directory);

}  // namespace braid::broker
