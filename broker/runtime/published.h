#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace braid::broker {

/// A value that one thread replaces as a whole and any thread reads: readers keep what they have loaded, which never
/// changes.
template <class T>
class Published {
 public:
  explicit Published(std::shared_ptr<const T> first) : current_(std::move(first)) {}

  /// Any thread; never null.
  std::shared_ptr<const T> load() const { return current_.load(); }
  /// The owner.
  void publish(std::shared_ptr<const T> next) { current_.store(std::move(next)); }

 private:
  std::atomic<std::shared_ptr<const T>> current_;
};

}  // namespace braid::broker
