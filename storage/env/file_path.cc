#include "storage/env/file_path.h"

#include <algorithm>
#include <cstddef>

#include "protocol/base/limits.h"

namespace braid::storage {
namespace {

constexpr std::size_t kNameBytesMax = 255;  // of every Linux file system that we know

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name != "." && name != ".." &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> path_names(std::string_view path) {
  std::vector<std::string_view> names;
  if (path.empty()) return names;
  for (;;) {
    const std::size_t slash = path.find('/');
    names.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return names;
    path.remove_prefix(slash + 1);
  }
}

bool is_file_path(std::string_view path) {
  if (path.empty() || path.size() > protocol::kPathBytesMax) return false;
  return std::ranges::all_of(path_names(path), is_name);
}

bool is_directory_path(std::string_view path) { return path.empty() || is_file_path(path); }

}  // namespace braid::storage
