#include "storage/commitlog/topic_directory.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "protocol/base/bytes.h"
#include "protocol/base/hex.h"

namespace braid::storage {
namespace {

constexpr std::string_view kIdName = "/topic-id";

constexpr std::size_t kIdTextBytes = 33;  // 32 hexadecimal digits and the line's end

std::string id_text(const TopicId& id) { return protocol::to_hex(std::as_bytes(std::span(id.bytes))) + "\n"; }

std::optional<TopicId> id_from(std::string_view text) {
  if (text.size() != kIdTextBytes || text.back() != '\n') return std::nullopt;
  const auto bytes = protocol::from_hex(text.substr(0, kIdTextBytes - 1));
  TopicId id;
  if (bytes.has_error() || bytes->size() != id.bytes.size()) return std::nullopt;
  std::ranges::transform(*bytes, id.bytes.begin(), [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  return id;
}

}  // namespace

TopicDirectories::TopicDirectories(FileSystem& files, std::string directory)
    : files_(files), directory_(std::move(directory)) {}

std::string TopicDirectories::path(std::string_view topic) const { return directory_ + "/" + std::string(topic); }

Result<std::optional<TopicId>> TopicDirectories::id_of(std::string_view topic) const {
  const auto file = files_.open(path(topic) + std::string(kIdName), {.mode = OpenMode::kRead});
  if (file.has_error()) {
    if (is_missing(file.error())) return std::optional<TopicId>();
    return file.error();
  }
  std::array<std::byte, kIdTextBytes + 1> found;  // one more, to see that nothing follows
  TRY(const std::size_t size, (*file)->read(0, found));
  return id_from(protocol::as_text(std::span(found).first(size)));
}

Result<void> TopicDirectories::make(std::string_view topic, const TopicId& id) const {
  TRY_DO(files_.make_directory(path(topic)));
  TRY(const std::unique_ptr<File> file,
      files_.open(path(topic) + std::string(kIdName), {.mode = OpenMode::kCreateNew}));
  return file->write(0, protocol::as_bytes(id_text(id)));
}

Result<std::vector<std::string>> TopicDirectories::names() const {
  TRY(const std::vector<DirectoryEntry> entries, files_.list(directory_));
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : entries) {
    if (entry.kind == FileKind::kDirectory) names.push_back(entry.name);
  }
  return names;
}

Result<void> remove_tree(FileSystem& files, const std::string& path) {
  const auto entries = files.list(path);
  if (entries.has_error()) {
    if (is_missing(entries.error())) return protocol::ok();
    if (entries.error() == boost::system::errc::not_a_directory) return files.remove_file(path);
    return entries.error();
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string below = path + "/" + entry.name;
    if (entry.kind == FileKind::kDirectory) {
      TRY_DO(remove_tree(files, below));
    } else {
      TRY_DO(files.remove_file(below));
    }
  }
  return files.remove_directory(path);
}

bool is_missing(const boost::system::error_code& error) {
  return error == boost::system::errc::no_such_file_or_directory;
}

}  // namespace braid::storage
