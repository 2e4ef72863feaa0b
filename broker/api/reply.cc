#include "broker/api/reply.h"

#include <boost/asio/post.hpp>

#include "broker/limits.h"

namespace braid::broker {

using protocol::ByteView;

namespace {

std::vector<Reply>& recycled_replies() {
  thread_local std::vector<Reply> replies;
  return replies;
}

}  // namespace

std::size_t Reply::size_bytes() const {
  std::size_t bytes = frame.size();
  for (const protocol::Hole& hole : holes) bytes += hole.bytes.size();
  return bytes;
}

std::size_t pieces_of(const Reply& reply, std::size_t skip, std::span<ByteView> out) {
  std::size_t count = 0;
  const auto show = [&](ByteView piece) {
    if (skip >= piece.size()) {
      skip -= piece.size();
    } else if (count < out.size()) {
      out[count++] = piece.subspan(std::exchange(skip, 0));
    }
    return count < out.size();
  };
  const ByteView own(reply.frame);
  std::size_t shown = 0;
  for (const protocol::Hole& hole : reply.holes) {
    if (!show(own.subspan(shown, hole.at - shown)) || !show(hole.bytes)) return count;
    shown = hole.at;
  }
  show(own.subspan(shown));
  return count;
}

Reply new_reply(std::size_t frame_bytes) {
  Reply reply;
  if (auto& kept = recycled_replies(); !kept.empty()) {
    reply = std::move(kept.back());
    kept.pop_back();
  }
  reply.frame.resize(frame_bytes);
  return reply;
}

void recycle(Reply&& reply) {
  Reply over = std::move(reply);
  auto& kept = recycled_replies();
  const std::size_t bytes = over.frame.capacity() + over.holes.capacity() * sizeof(protocol::Hole);
  if (over.frame.empty() || bytes > kRecycledReplyBytesMax || kept.size() >= kRecycledRepliesMax) return;
  over.frame.clear();
  over.holes.clear();
  over.memory.clear();
  over.errors = {};
  over.share.reset();
  kept.push_back(std::move(over));
}

void EffectNotice::give() const {
  boost::asio::post(*address_.loop, [weak = address_.sink, slot = slot_] {
    if (const std::shared_ptr<ReplySink> sink = weak.lock()) sink->took_effect(slot);
  });
}

void ReplyPromise::complete(Completion completion) {
  const std::shared_ptr<ReplySink> sink = address_.sink.lock();
  if (!sink) return;
  if (address_.loop->get_executor().running_in_this_thread()) {
    sink->complete(slot_, std::move(completion));
    return;
  }
  boost::asio::post(*address_.loop, [sink, slot = slot_, moved = std::move(completion)]() mutable {
    sink->complete(slot, std::move(moved));
  });
}

}  // namespace braid::broker
