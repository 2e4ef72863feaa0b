#include "broker/partition/partition_errc.h"

#include <string>

namespace braid::broker {
namespace {

class PartitionErrcCategory final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "partition"; }
  std::string message(int code) const override {
    switch (static_cast<PartitionErrc>(code)) {
      case PartitionErrc::out_of_order_sequence:
        return "the batch's sequence does not follow the producer's last one";
      case PartitionErrc::old_producer_epoch:
        return "the producer has a newer epoch";
      case PartitionErrc::fenced_leader_epoch:
        return "the client's leader epoch is older than the partition's";
      case PartitionErrc::unknown_leader_epoch:
        return "the client's leader epoch is newer than the partition's";
    }
    return "unknown";
  }
};

}  // namespace

const boost::system::error_category& partition_errc_category() {
  static const PartitionErrcCategory category;
  return category;
}

}  // namespace braid::broker
