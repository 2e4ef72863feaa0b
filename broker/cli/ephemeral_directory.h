#pragma once

#include <string>

namespace braid::broker {

/// A new directory that only this user reads, among the machine's temporary ones; removed with all that is in it at the
/// end of its life.
class EphemeralDirectory {
 public:
  /// Empty path: it could not be made.
  EphemeralDirectory();
  ~EphemeralDirectory();
  EphemeralDirectory(const EphemeralDirectory&) = delete;
  EphemeralDirectory& operator=(const EphemeralDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace braid::broker
