#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/env/file_system.h"

/// Short forms for tests, in which the call itself is not in question: a failure fails the test.
namespace braid::storage {

inline std::unique_ptr<File> opened(FileSystem& files, std::string_view path, OpenOptions options) {
  Result<std::unique_ptr<File>> file = files.open(path, options);
  if (file.has_value()) return *std::move(file);
  ADD_FAILURE() << "open " << path << ": " << file.error().message();
  return nullptr;
}

inline void expect_ok(const Result<void>& result) {
  EXPECT_TRUE(result.has_value()) << (result.has_error() ? result.error().message() : "");
}

/// All bytes of a file as text, or "<why not>".
inline std::string text_of(FileSystem& files, std::string_view path) {
  const Result<std::unique_ptr<File>> file = files.open(path, {});
  if (file.has_error()) return "<" + file.error().message() + ">";
  const Result<std::uint64_t> size = (*file)->size();
  if (size.has_error()) return "<" + size.error().message() + ">";
  std::string text(*size, '\0');
  const Result<std::size_t> read = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  if (read.has_error()) return "<" + read.error().message() + ">";
  text.resize(*read);
  return text;
}

inline void put_text(FileSystem& files, std::string_view path, std::uint64_t at, std::string_view text) {
  const auto file = opened(files, path, {.mode = OpenMode::kCreate});
  if (file != nullptr) expect_ok(file->write(at, protocol::as_bytes(text)));
}

inline void sync_file(FileSystem& files, std::string_view path) {
  const auto file = opened(files, path, {.mode = OpenMode::kWrite});
  if (file != nullptr) expect_ok(file->sync());
}

/// The names in a directory, in order.
inline std::vector<std::string> names_in(FileSystem& files, std::string_view directory) {
  const Result<std::vector<DirectoryEntry>> entries = files.list(directory);
  if (entries.has_error()) return {"<" + entries.error().message() + ">"};
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
  return names;
}

}  // namespace braid::storage
