#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "broker/config/settings.h"
#include "protocol/base/clock.h"
#include "storage/env/file_system.h"
#include "storage/log_store.h"

namespace braid::broker {

/// The directory that a broker keeps its shard in, opened; or memory, for a broker that may forget.
class DataDirectory {
 public:
  virtual ~DataDirectory() = default;
  virtual storage::LogStore& store() = 0;
  /// What an operator should know of the opening, one line each.
  virtual std::vector<std::string> findings() const = 0;
  /// The clean stop. No other thread is in the store. The text says what went wrong; empty: nothing.
  virtual std::string close() = 0;
};

/// Opens what settings.log_dir holds, or makes it; waits for the disk. The text says why that can't be done.
std::variant<std::unique_ptr<DataDirectory>, std::string> open_data_directory(const StorageSettings& settings,
                                                                              const protocol::Clock& clock);

}  // namespace braid::broker
