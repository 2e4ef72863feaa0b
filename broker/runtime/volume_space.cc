#include "broker/runtime/volume_space.h"

#include <sys/statvfs.h>

namespace braid::broker {

std::optional<VolumeSpace> volume_space(const std::string& directory) {
  struct statvfs status{};
  if (directory.empty() || ::statvfs(directory.c_str(), &status) < 0) return std::nullopt;
  const std::uint64_t block_bytes = status.f_frsize;
  return VolumeSpace{static_cast<std::int64_t>(status.f_blocks * block_bytes),
                     static_cast<std::int64_t>(status.f_bavail * block_bytes)};
}

}  // namespace braid::broker
