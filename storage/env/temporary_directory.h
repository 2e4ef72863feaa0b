#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace braid::storage {

/// For tests: a new directory below `parent`, removed with all that is in it. One thread.
class TemporaryDirectory {
 public:
  /// In the folder where the test runs, which ctest makes the build folder.
  TemporaryDirectory() : TemporaryDirectory(std::filesystem::current_path()) {}

  explicit TemporaryDirectory(const std::filesystem::path& parent) : path_((parent / "braid-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      ADD_FAILURE() << "no directory below " << parent;
      path_.clear();
    }
  }
  ~TemporaryDirectory() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
    EXPECT_FALSE(error) << path_ << ": " << error.message();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace braid::storage
