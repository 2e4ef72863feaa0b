#pragma once

#include <boost/system/error_code.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

namespace braid::storage {

/// The directories of topics: each is named after its topic and carries the topic's id in a file, because a topic that
/// is made again has the old one's name. What carries another id, or none, or a damaged one, is stale: nobody's.
///
/// Borrows the file system. Any thread may ask; changes are maintenance's.
class TopicDirectories {
 public:
  /// `directory` is that of all topics; it exists.
  TopicDirectories(FileSystem& files, std::string directory);

  std::string path(std::string_view topic) const;
  /// The id that it carries; nullopt without a directory, or a readable id in it.
  Result<std::optional<TopicId>> id_of(std::string_view topic) const;
  /// Makes it anew, empty, with this id; it does not exist.
  Result<void> make(std::string_view topic, const TopicId& id) const;
  /// Names of all of them, stale ones too.
  Result<std::vector<std::string>> names() const;

 private:
  FileSystem& files_;
  const std::string directory_;
};

/// Removes a file or a directory with all that is in it; nothing happens when there is none.
Result<void> remove_tree(FileSystem& files, const std::string& path);

/// True for the error that says that there is no such file or directory.
bool is_missing(const boost::system::error_code& error);

}  // namespace braid::storage
