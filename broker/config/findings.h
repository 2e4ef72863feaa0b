#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"

namespace braid::broker {

/// The first `kItemsMax` of what was found; the others are counted, as nobody reads them. However many there are, its
/// memory is bounded.
template <class Item, std::size_t kItemsMax>
class Shortlist {
 public:
  void add(Item item) {
    if (items_.size() == kItemsMax) {
      ++left_out_;
    } else {
      items_.push_back(std::move(item));
    }
  }
  void append(Shortlist others) {
    for (Item& item : others.items_) add(std::move(item));
    left_out_ += others.left_out_;
  }

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  std::size_t left_out() const { return left_out_; }
  const Item& operator[](std::size_t i) const { return items_[i]; }
  const Item& front() const { return items_.front(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<Item> items_;
  std::size_t left_out_ = 0;
};

/// What refuses the start, a line each.
using ConfigProblems = Shortlist<std::string, protocol::kConfigProblemsMax>;

/// What an operator should know about a value that was accepted.
struct ConfigNotice {
  bool warning = false;
  std::string key;
  std::string text;
};
using ConfigNotices = Shortlist<ConfigNotice, protocol::kConfigNoticesMax>;

}  // namespace braid::broker
