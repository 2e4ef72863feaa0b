#pragma once

#include <string_view>
#include <vector>

namespace braid::storage {

/// A path inside a FileSystem: names joined by '/', relative to its root, so that a store can't leave its directory. No
/// empty name, no "." or "..", no NUL; a name has at most 255 bytes, the whole kPathBytesMax.
bool is_file_path(std::string_view path);

/// The same, or "" for the root directory itself.
bool is_directory_path(std::string_view path);

/// The names of a path in order; none for the root. They point into `path`.
std::vector<std::string_view> path_names(std::string_view path);

}  // namespace braid::storage
