// FindCoordinator, key 10, versions 0-5: who coordinates a group. There is one broker, so that it is this one.
//
// - The first question makes __consumer_offsets and is answered when it is there: COORDINATOR_NOT_AVAILABLE if it can't
//   be made. The address is that of the listener that the client came by.
// - 1 the kind of key: 0 groups; 1 transactions, which are TRANSACTIONAL_ID_AUTHORIZATION_FAILED until there are any,
//   so that clients stop instead of trying for ever; others INVALID_REQUEST. 4 several keys, each with its own result.
//   6, which adds share groups, is not served.
#include "broker/api/10_find_coordinator.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/api/later.h"
#include "broker/groups/group_coordinator.h"
#include "protocol/messages/10_find_coordinator.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;
using Told = FindCoordinatorResponse::Coordinator;

constexpr std::int16_t kSeveralKeysFrom = 4;
constexpr std::int8_t kGroupKey = 0;
constexpr std::int8_t kTransactionKey = 1;

Told refused(ErrorCode error, std::string_view message) {
  Told told;
  told.node_id = protocol::BrokerId{-1};
  told.port = -1;
  told.error_code = error;
  told.error_message = message;
  return told;
}

Told here(const Node& node, const ClientFacts& client) {
  const AdvertisedAddress& address = node.facts.address_for(client.listener);
  Told told;
  told.node_id = protocol::BrokerId{node.facts.node_id};
  told.host = address.host;
  told.port = address.port;
  told.error_message = "";
  return told;
}

boost::asio::awaitable<void> find(Node& node, std::unique_ptr<KeptRequest<FindCoordinatorRequest>> request) {
  const FindCoordinatorRequest& asked = request->message;
  Told told;
  if (asked.key_type == kGroupKey) {
    const ErrorCode error = co_await node.groups.prepare();
    told =
        error == ErrorCode::kNone ? here(node, request->client) : refused(error, "The coordinator is not available.");
  } else if (asked.key_type == kTransactionKey) {
    told = refused(ErrorCode::kTransactionalIdAuthorizationFailed, "There are no transactions here.");
  } else {
    told = refused(ErrorCode::kInvalidRequest, "There is no such type of coordinator.");
  }
  FindCoordinatorResponse response;
  std::vector<Told> all;
  if (request->head.version >= kSeveralKeysFrom) {
    for (const std::string_view key : asked.coordinator_keys) {
      told.key = key;
      all.push_back(told);
    }
    response.coordinators = all;
  } else {
    response.error_code = told.error_code;
    response.error_message = told.error_message;
    response.node_id = told.node_id;
    response.host = told.host;
    response.port = told.port;
  }
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_find_coordinator(RequestContext& context) {
  return answer_later<FindCoordinatorRequest>(context, find);
}

}  // namespace braid::broker
