#include "storage/commitlog/tail.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "protocol/base/check.h"

namespace braid::storage {

using protocol::check;

Result<void> Tail::start(LogPosition end, ByteView block) {
  check(chain_.empty() && static_cast<std::int64_t>(block.size()) == end.value % kBlockBytes,
        "the last block comes along");
  end_ = end;
  if (block.empty()) return protocol::ok();
  TRY(std::unique_ptr<Slab> slab, take_slab(LogPosition{0}));
  spare_.push_back(std::move(slab));
  link(LogPosition{round_down(end.value, kBlockBytes)});
  std::ranges::copy(block, current_->memory.bytes().begin());
  current_->used_bytes = static_cast<std::int64_t>(block.size());
  return protocol::ok();
}

Result<void> Tail::make_room(std::int64_t bytes, LogPosition written) {
  if (current_ != nullptr && end_.value + bytes <= current_->capacity_end().value && geometry_.fits(end_, bytes))
    return protocol::ok();
  // Where a file ends, the rest of the slab is left, and the filler's header may need a slab of its own.
  const std::int64_t needed = round_up(bytes, options_.slab_bytes) + options_.slab_bytes;
  while (spare_bytes() < needed) {
    TRY(std::unique_ptr<Slab> slab, take_slab(written));
    spare_.push_back(std::move(slab));
  }
  return protocol::ok();
}

Result<std::unique_ptr<Tail::Slab>> Tail::take_slab(LogPosition written) {
  const std::int64_t written_blocks = round_down(written.value, kBlockBytes);
  {
    const std::lock_guard lock(mutex_);
    const bool many =
        static_cast<std::int64_t>(chain_.size() + spare_.size()) * options_.slab_bytes >= options_.bytes_max;
    if (many && !chain_.empty()) {
      Slab& oldest = *chain_.front();
      const bool is_written =
          oldest.capacity_end().value <= written_blocks || geometry_.file_of(oldest.begin) < geometry_.file_of(written);
      if (is_written && &oldest != current_ && oldest.pins.load() == 0) {
        std::unique_ptr<Slab> again = std::move(chain_.front());
        chain_.pop_front();
        again->used_bytes = 0;
        return again;
      }
    }
  }
  auto slab = std::make_unique<Slab>();
  TRY(slab->memory, AlignedBuffer::allocate(static_cast<std::size_t>(options_.slab_bytes)));
  return slab;
}

void Tail::link(LogPosition begin) {
  check(!spare_.empty(), "room was made before appending");
  std::unique_ptr<Slab> slab = std::move(spare_.back());
  spare_.pop_back();
  slab->begin = begin;
  current_ = slab.get();
  const std::lock_guard lock(mutex_);
  chain_.push_back(std::move(slab));
}

void Tail::append(ByteView bytes) {
  while (!bytes.empty()) {
    if (current_ == nullptr) {
      end_ = geometry_.entry_after(end_);
      link(end_);
    } else if (end_ == current_->capacity_end()) {
      if (geometry_.place_in_file(end_) == 0) end_ = geometry_.entry_after(end_);
      link(end_);
    }
    const std::int64_t room = std::min(current_->capacity_end().value, geometry_.next_file(end_).value) - end_.value;
    const ByteView part = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(room)));
    std::memcpy(current_->memory.bytes().data() + current_->used_bytes, part.data(), part.size());
    current_->used_bytes += static_cast<std::int64_t>(part.size());
    end_.value += static_cast<std::int64_t>(part.size());
    if (geometry_.place_in_file(end_) == 0) current_ = nullptr;
    bytes = bytes.subspan(part.size());
  }
}

void Tail::end_file() {
  end_ = geometry_.place_in_file(end_) == 0 ? end_ : geometry_.next_file(end_);
  current_ = nullptr;
}

void Tail::gather(LogPosition begin, LogPosition published, Gathered& into) {
  into.pieces.clear();
  const LogPosition first{round_down(begin.value, kBlockBytes)};
  const LogPosition file = geometry_.file_of(begin);
  into.end = begin;
  const std::lock_guard lock(mutex_);
  for (const auto& slab : chain_) {
    if (slab->capacity_end() <= first || geometry_.file_of(slab->begin) != file) continue;
    const LogPosition from = std::max(first, slab->begin);
    // Of a slab that the lane still appends to, only what is published is known to be there.
    const bool last_of_all = published <= slab->capacity_end() && geometry_.file_of(published) == file;
    const LogPosition to = last_of_all ? published : LogPosition{slab->begin.value + slab->used_bytes};
    if (to <= from) break;
    into.pieces.push_back(slab->memory.bytes().subspan(static_cast<std::size_t>(from.value - slab->begin.value),
                                                       static_cast<std::size_t>(to.value - from.value)));
    into.end = to;
    if (last_of_all) break;
  }
}

void Tail::overwrite(LogPosition at, ByteView bytes) {
  while (!bytes.empty()) {
    Slab* slab = nullptr;
    {
      const std::lock_guard lock(mutex_);
      slab = holder(at);
    }
    check(slab != nullptr, "what is not written is in the tail");
    const auto room = static_cast<std::size_t>(slab->capacity_end().value - at.value);
    const ByteView part = bytes.first(std::min(bytes.size(), room));
    std::memcpy(slab->memory.bytes().data() + (at.value - slab->begin.value), part.data(), part.size());
    at.value += static_cast<std::int64_t>(part.size());
    bytes = bytes.subspan(part.size());
  }
}

bool Tail::copy(LogPosition at, MutableBytes into) const {
  while (!into.empty()) {
    const Slab* slab = nullptr;
    {
      const std::lock_guard lock(mutex_);
      slab = holder(at);
      if (slab == nullptr) return false;
      slab->pins.fetch_add(1);
    }
    const auto room = static_cast<std::size_t>(slab->capacity_end().value - at.value);
    const std::size_t part = std::min(into.size(), room);
    std::memcpy(into.data(), slab->memory.bytes().data() + (at.value - slab->begin.value), part);
    slab->pins.fetch_sub(1);
    at.value += static_cast<std::int64_t>(part);
    into = into.subspan(part);
  }
  return true;
}

Tail::Slab* Tail::holder(LogPosition at) const {
  const auto behind = std::upper_bound(chain_.begin(), chain_.end(), at,
                                       [](LogPosition p, const auto& slab) { return p < slab->begin; });
  if (behind == chain_.begin()) return nullptr;
  Slab* const slab = std::prev(behind)->get();
  return at < slab->capacity_end() ? slab : nullptr;
}

bool Tail::holds(LogPosition at) const {
  const std::lock_guard lock(mutex_);
  return holder(at) != nullptr;
}

std::size_t Tail::slab_count() const {
  const std::lock_guard lock(mutex_);
  return chain_.size();
}

}  // namespace braid::storage
