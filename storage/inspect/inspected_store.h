#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/base/hex.h"
#include "storage/inspect/inspect_lines.h"
#include "storage/test_store.h"

namespace braid::storage {

/// A small store with contents, and ways to damage what lies on its disk. For tests.
struct InspectedStore : TestStore {
  /// Two topics over several log files, so that queues and checkpoints are written.
  void fill(int batches = 300) {
    const PartitionId orders = create("orders");
    const PartitionId bills = create("bills", 3);
    for (int i = 0; i < batches; ++i) append(i % 3 == 0 ? bills : orders);
    settle();
  }

  void damage(const std::string& path, std::uint64_t at, const std::string& hex) {
    protocol::check(files().damage(path, at, *protocol::from_hex(hex)).has_value(), "the bytes are there");
  }
  void remove(const std::string& path) { protocol::check(files().remove_file(path).has_value(), "the file is there"); }
  void cut(const std::string& path, std::uint64_t size) {
    const auto file = files().open(path, {.mode = OpenMode::kWrite});
    protocol::check(file.has_value() && (*file)->truncate(size).has_value(), "the file is there");
  }
};

inline constexpr const char* kFirstLogFile = "commitlog/00000000000000000000";
inline constexpr const char* kSecondLogFile = "commitlog/00000000000000131072";

/// The line that holds `text`; "" if none does.
inline std::string line_with(const std::vector<std::string>& lines, const std::string& text) {
  for (const std::string& line : lines)
    if (line.find(text) != std::string::npos) return line;
  return {};
}

}  // namespace braid::storage
