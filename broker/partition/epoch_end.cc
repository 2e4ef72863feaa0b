#include "broker/partition/epoch_end.h"

#include <algorithm>

namespace braid::broker {

EpochEnd find_epoch_end(const storage::PartitionView& view, std::int32_t current, std::int32_t asked) {
  if (asked < 0 || asked > current) return {};
  if (asked == current) return {current, view.end.value};
  const auto next =
      std::ranges::find_if(view.epochs, [&](const storage::EpochStart& each) { return each.epoch.value > asked; });
  const std::int64_t end = next != view.epochs.end() ? next->start.value : view.end.value;
  if (next == view.epochs.begin()) return {asked, std::max(end, view.start.value)};
  return {std::prev(next)->epoch.value, end};
}

}  // namespace braid::broker
