#include "storage/errors.h"

#include <string>

namespace braid::storage {
namespace {

class StorageCategory final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "braid.storage"; }

  std::string message(int value) const override {
    switch (static_cast<StorageErrc>(value)) {
      case StorageErrc::offset_out_of_range:
        return "the offset is below the log start or above the end";
      case StorageErrc::unknown_partition:
        return "no such partition";
      case StorageErrc::partition_exists:
        return "the partition exists";
      case StorageErrc::corrupt:
        return "stored bytes are damaged";
      case StorageErrc::stale_read:
        return "the partition was cut while it was read";
      case StorageErrc::not_yet:
        return "no room yet";
      case StorageErrc::disk_full:
        return "the disk is full";
      case StorageErrc::too_large:
        return "larger than a file of the log";
      case StorageErrc::failed:
        return "an earlier write or sync failed";
      case StorageErrc::foreign:
        return "a file of another store or of an unknown format";
      case StorageErrc::in_use:
        return "the directory is in use";
      case StorageErrc::no_identity:
        return "the identity file is lost or damaged";
    }
    return "unknown error " + std::to_string(value);
  }
};

}  // namespace

const boost::system::error_category& storage_category() {
  static const StorageCategory category;
  return category;
}

}  // namespace braid::storage
