#include "broker/cli/ephemeral_directory.h"

#include <stdlib.h>  // mkdtemp is POSIX's

#include <filesystem>
#include <system_error>
#include <utility>

namespace braid::broker {

EphemeralDirectory::EphemeralDirectory() {
  std::error_code error;
  const std::filesystem::path among = std::filesystem::temp_directory_path(error);
  if (error) return;
  std::string path = (among / "braid-dev-XXXXXX").string();
  if (::mkdtemp(path.data()) != nullptr) path_ = std::move(path);
}

EphemeralDirectory::~EphemeralDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;  // what is left is in the way of nobody
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace braid::broker
