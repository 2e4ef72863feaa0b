#include "broker/net/session.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "broker/limits.h"
#include "protocol/base/limits.h"
#include "protocol/wire/frame.h"

namespace braid::broker {

using protocol::Instant;

bool Session::may_take_request() const {
  return !ending_ && !draining_ && replies_.in_flight() < protocol::kRequestsInFlightMax &&
         replies_.queued_bytes() < protocol::kReplyBytesQueuedMax;
}

bool Session::may_start(protocol::ByteView frame) const {
  if (holds_back_) return false;
  return replies_.unfulfilled() == 0 || (last_overlaps_ && dispatcher_.overlaps(frame));
}

void Session::identify(ReplyAddress address, std::string listener, std::string host) {
  address_ = std::move(address);
  client_.listener = std::move(listener);
  client_.host = std::move(host);
}

bool Session::wants_input() const { return may_take_request() && !frame_waits_; }

protocol::MutableBytes Session::own_room() {
  if (received_.empty()) return {};
  return received_.room(missing_bytes_);
}

std::size_t Session::lacking_bytes() const {
  if (received_.empty()) return 0;
  const std::size_t whole = received_.size_bytes() + missing_bytes_;
  return whole > held_.bytes() ? whole - held_.bytes() : 0;
}

bool Session::take_memory(Instant now) {
  const std::size_t bytes = lacking_bytes();
  if (bytes == 0 && !received_.empty()) return true;  // it has what it needs
  if (!dispatcher_.request_bytes().try_take(bytes)) return false;
  took_memory(bytes, now);
  return true;
}

void Session::took_memory(std::size_t bytes, Instant now) {
  held_.add(bytes);
  granted_at_ = now;
  had_when_granted_ = received_.size_bytes();
  settle_memory();
}

bool Session::wastes_memory(Instant now) {
  if (!wants_input()) {  // it is we who do not read it: its time begins when we do
    granted_at_ = now;
    had_when_granted_ = received_.size_bytes();
    return false;
  }
  if (held_.bytes() <= protocol::kReceiveFirstBytes || frame_waits_ || lacking_bytes() > 0) return false;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - granted_at_).count();
  constexpr std::int64_t kSecondMs = 1000;
  const auto came = static_cast<std::int64_t>(received_.size_bytes() - had_when_granted_);
  return age > kShortMemoryGraceMs && came < age * kShortMemoryBytesPerSecond / kSecondMs;
}

bool Session::takes_too_slowly(Instant now) {
  if (replies_.queued_bytes() <= protocol::kReceiveFirstBytes || !replies_.has_output()) return false;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - measured_from_).count();
  if (age <= kShortMemoryGraceMs) return false;
  constexpr std::int64_t kSecondMs = 1000;
  const bool too_slow = static_cast<std::int64_t>(measured_bytes_) < age * kShortMemoryBytesPerSecond / kSecondMs;
  measured_from_ = now;
  measured_bytes_ = 0;
  return too_slow;
}

void Session::settle_memory() {
  if (ending_ || received_.empty()) {
    held_.become(received_.capacity_bytes());
    return;
  }
  const std::size_t kept = received_.capacity_bytes();
  const std::size_t whole = frame_waits_ ? 0 : received_.size_bytes() + missing_bytes_;
  held_.become(std::clamp(held_.bytes(), kept, std::max(kept, whole)));
}

void Session::received_in_room(std::size_t bytes, Instant now) {
  received_.filled(bytes);
  handle_received(now);
}

void Session::received_elsewhere(protocol::MutableBytes bytes, Instant now) {
  if (!received_.empty()) {
    received_.append(bytes);
    handle_received(now);
    return;
  }
  const std::size_t used = handle_frames(bytes, now);
  if (!ending_) received_.append(bytes.subspan(used));
  settle_memory();
}

void Session::sent(std::size_t bytes, Instant now) {
  measured_bytes_ += bytes;
  if (replies_.sent(bytes, now) > 0) last_whole_at_ = now;
  resume(now);
}

void Session::complete(ReplySlot slot, Completion completion, Instant now) {
  if (auto* refusal = std::get_if<Refusal>(&completion)) {
    end({true, std::move(refusal->reason)});
  } else if (auto* reply = std::get_if<Reply>(&completion)) {
    if (replies_.queued_bytes() == 0) {
      measured_from_ = now;
      measured_bytes_ = 0;
    }
    replies_.fulfil(slot, std::move(*reply), now);
  } else {
    replies_.skip(slot, now);
  }
  took_effect(slot);
  last_whole_at_ = now;
}

void Session::took_effect(ReplySlot slot) {
  if (holds_back_ == slot) holds_back_.reset();
}

void Session::resume(Instant now) {
  if (frame_waits_ && may_take_request()) handle_received(now);
}

void Session::drain() { draining_ = true; }

void Session::end(Ending ending) {
  if (!ending_) ending_ = std::move(ending);
}

std::optional<Instant> Session::deadline() const {
  if (replies_.unfulfilled() > 0) return std::nullopt;  // a handler is at work, and has a bound of its own
  if (!had_request_) return opened_at_ + settings_.first_request_max;
  if (!settings_.idle_max) return std::nullopt;
  return last_whole_at_ + *settings_.idle_max;
}

void Session::handle_received(Instant now) {
  received_.consume(handle_frames(received_.bytes(), now));
  settle_memory();
}

std::size_t Session::handle_frames(protocol::MutableBytes bytes, Instant now) {
  std::size_t used = 0;
  frame_waits_ = false;
  while (!ending_) {
    const protocol::Split split = protocol::split_frame(bytes.subspan(used), settings_.frame_bytes_max);
    if (const auto* more = std::get_if<protocol::NeedMore>(&split)) {
      missing_bytes_ = more->missing_bytes;
      break;
    }
    if (const auto* bad = std::get_if<protocol::BadFrame>(&split)) {
      end_at_bad_length(bad->claimed_bytes);
      break;
    }
    const auto& frame = std::get<protocol::Frame>(split);
    if (!may_take_request() || !may_start(frame.body)) {
      frame_waits_ = true;
      if (!held_since_) held_since_ = now;
      break;
    }
    used += frame.consumed_bytes;
    handle_frame(bytes.subspan(used - frame.body.size(), frame.body.size()), now);
  }
  return used;
}

void Session::handle_frame(protocol::MutableBytes frame, Instant now) {
  last_whole_at_ = now;
  last_overlaps_ = dispatcher_.overlaps(frame);
  RequestTrack track = dispatcher_.track(frame);
  if (held_since_) track.queued = now - *std::exchange(held_since_, std::nullopt);
  const ReplySlot slot = replies_.reserve(track);
  Answer answer = dispatcher_.dispatch({client_, address_, slot}, frame);
  if (auto* refusal = std::get_if<Refusal>(&answer)) {
    end({true, std::move(refusal->reason)});
    return;
  }
  had_request_ = true;
  const Instant handled_at = dispatcher_.clock().now();
  if (auto* reply = std::get_if<Reply>(&answer)) {
    replies_.fulfil(slot, std::move(*reply), handled_at);
  } else if (std::holds_alternative<NoReply>(answer)) {
    replies_.skip(slot, handled_at);
  } else {
    replies_.handled(slot, handled_at);
    if (std::get<Later>(answer).holds_back) holds_back_ = slot;
  }
}

void Session::end_at_bad_length(std::int32_t claimed_bytes) {
  std::string reason = "a frame claims " + std::to_string(claimed_bytes) + " bytes";
  switch (protocol::guess_foreign_protocol(claimed_bytes)) {
    case protocol::ForeignProtocol::kHttp:
      reason += ", which looks like HTTP";
      break;
    case protocol::ForeignProtocol::kTls:
      reason += ", which looks like TLS: the client expects an encrypted listener";
      break;
    case protocol::ForeignProtocol::kNone:
      break;
  }
  end({true, std::move(reason)});
}

}  // namespace braid::broker
