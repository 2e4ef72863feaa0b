#pragma once

#include <cstddef>
#include <utility>

#include "protocol/base/check.h"

namespace braid::storage {

class Room;

/// Bytes that a Room has promised. Append spends them; what is left goes back when the reservation ends. Moves, never
/// copies. Must not outlive its store.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Room* room, std::size_t bytes) : room_(room), bytes_(bytes) {}
  Reservation(Reservation&& other) noexcept
      : room_(std::exchange(other.room_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(room_, other.room_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Reservation();

  std::size_t bytes() const { return bytes_; }
  /// Part of it is used up: the room now counts it as appended. More than there is is a broken invariant.
  void spend(std::size_t bytes);

 private:
  Room* room_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Where reservations come from. Any thread.
class Room {
 public:
  virtual ~Room() = default;
  /// `bytes` of a reservation were appended, or given back unused.
  virtual void spent(std::size_t bytes) = 0;
  virtual void returned(std::size_t bytes) = 0;
};

inline Reservation::~Reservation() {
  if (room_ != nullptr && bytes_ != 0) room_->returned(bytes_);
}

inline void Reservation::spend(std::size_t bytes) {
  protocol::check(bytes <= bytes_, "an append stays within its reservation");
  bytes_ -= bytes;
  if (room_ != nullptr) room_->spent(bytes);
}

}  // namespace braid::storage
