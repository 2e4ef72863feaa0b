// InitProducerId, key 22, versions 0-5: an id for an idempotent producer.
//
// - Without a transactional id: always a fresh id with epoch 0, never given out before, also across a crash. What the
//   client says it had (from 3 on) does not matter then.
// - An empty transactional id: INVALID_REQUEST. There are no transactions yet: any other is
//   TRANSACTIONAL_ID_AUTHORIZATION_FAILED, which stops the client at once instead of letting it try for ever.
#include "broker/api/22_init_producer_id.h"

#include <memory>
#include <utility>

#include "broker/api/error_map.h"
#include "broker/api/later.h"
#include "protocol/messages/22_init_producer_id.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::InitProducerIdRequest;
using protocol::InitProducerIdResponse;

boost::asio::awaitable<void> give_id(Node& node, std::unique_ptr<KeptRequest<InitProducerIdRequest>> request) {
  InitProducerIdResponse response;
  const auto& transactional_id = request->message.transactional_id;
  if (transactional_id) {
    response.error_code =
        transactional_id->empty() ? ErrorCode::kInvalidRequest : ErrorCode::kTransactionalIdAuthorizationFailed;
    response.producer_epoch = -1;
    co_return request->reply(response);
  }
  const auto id = co_await node.producer_ids.next();
  if (id.has_value()) {
    response.producer_id = *id;
  } else {
    response.error_code = ErrorCode::kCoordinatorNotAvailable;  // clients try again after it
    response.producer_epoch = -1;
  }
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_init_producer_id(RequestContext& context) {
  return answer_later<InitProducerIdRequest>(context, give_id);
}

}  // namespace braid::broker
