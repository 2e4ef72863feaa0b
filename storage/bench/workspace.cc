#include "storage/bench/workspace.h"

#include <cstdlib>
#include <filesystem>

#include "protocol/base/check.h"
#include "storage/env/posix_file_system.h"

namespace braid::storage {

Workspace::Workspace(const std::string& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  path_ = (std::filesystem::path(parent) / "bench-XXXXXX").string();
  protocol::check(::mkdtemp(path_.data()) != nullptr, "a directory for the benchmark can be made");
  auto files = open_posix_file_system(path_);
  protocol::check(files.has_value(), "the benchmark's directory can be opened");
  files_ = *std::move(files);
}

Workspace::~Workspace() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);  // what can't be removed is left for a person to see
}

void Workspace::clear() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(entry, error);
  protocol::check(!error, "the benchmark's directory can be cleared");
}

}  // namespace braid::storage
