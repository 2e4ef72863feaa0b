#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <memory>
#include <utility>

#include "broker/api/node.h"
#include "broker/api/request.h"

namespace braid::broker {

/// For handlers that wait: decodes a copy of the request and runs `serve` with it as a coroutine on the lane, where it
/// may use whatever is the lane's between two waits. It must reply once.
///
///   boost::asio::awaitable<void> serve(Node& node, std::unique_ptr<KeptRequest<Message>> request);
template <class Message>
protocol::Result<Answer> answer_later(RequestContext& context,
                                      boost::asio::awaitable<void> (*serve)(Node&,
                                                                            std::unique_ptr<KeptRequest<Message>>)) {
  TRY(std::unique_ptr<KeptRequest<Message>> kept, keep<Message>(context));
  boost::asio::co_spawn(context.node.shard.lane().loop(), serve(context.node, std::move(kept)), boost::asio::detached);
  return Answer(Later{});
}

}  // namespace braid::broker
