// DeleteTopics, key 20, versions 1-6: for good, whatever is stored.
//
// - Up to 5 by name, from 6 on by name or id; both at once, or neither: INVALID_REQUEST for that one.
// - delete.topic.enable=false: TOPIC_DELETION_DISABLED for each (INVALID_REQUEST before version 3).
// - Unknown: UNKNOWN_TOPIC_OR_PARTITION by name, UNKNOWN_TOPIC_ID by id. The answer has name and id where they are
// known.
// - An internal topic: INVALID_TOPIC_EXCEPTION. Offsets that groups committed for a topic go with it.
// - Answered when the removal is durable; produces, and fetches that wait, get an error from then on.
#include "broker/api/20_delete_topics.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/later.h"
#include "protocol/messages/20_delete_topics.h"

namespace braid::broker {
namespace {

using protocol::DeleteTopicsRequest;
using protocol::DeleteTopicsResponse;
using protocol::ErrorCode;
using Outcome = DeleteTopicsResponse::DeletableTopicResult;

constexpr std::int16_t kIdsFrom = 6;
constexpr std::int16_t kDeletionDisabledFrom = 3;

struct Wish {
  std::optional<std::string_view> name;
  protocol::Uuid id;
};

std::vector<Wish> wishes_of(const DeleteTopicsRequest& request, std::int16_t version) {
  std::vector<Wish> wishes;
  if (version >= kIdsFrom) {
    for (const auto& topic : request.topics) wishes.push_back({topic.name, topic.topic_id});
  } else {
    for (const std::string_view name : request.topic_names) wishes.push_back({name, {}});
  }
  return wishes;
}

void refuse(Outcome& outcome, ErrorCode error, std::string_view message) {
  outcome.error_code = error;
  outcome.error_message = message;
}

boost::asio::awaitable<Outcome> remove(Node& node, const Wish wish, protocol::Arena& arena) {
  Outcome outcome;
  outcome.name = wish.name;
  outcome.topic_id = wish.id;
  if (wish.name.has_value() != wish.id.unset()) {
    refuse(outcome, ErrorCode::kInvalidRequest, "A topic is named by its name or by its id.");
    co_return outcome;
  }
  const auto image = node.metadata.image();
  const TopicImage* topic = wish.name ? image->find(*wish.name) : image->find(wish.id);
  if (topic == nullptr) {
    refuse(outcome, wish.name ? ErrorCode::kUnknownTopicOrPartition : ErrorCode::kUnknownTopicId,
           "This server does not host this topic.");
    co_return outcome;
  }
  outcome.name = arena.copy(topic->name);
  outcome.topic_id = topic->id;
  if (is_internal_topic(topic->name)) {
    refuse(outcome, ErrorCode::kInvalidTopicException, "An internal topic can't be deleted.");
    co_return outcome;
  }
  const TopicOutcome removed = co_await node.topics.remove(topic->id);
  if (!removed.good()) refuse(outcome, removed.error, arena.copy(removed.message));
  co_return outcome;
}

boost::asio::awaitable<void> delete_topics(Node& node, std::unique_ptr<KeptRequest<DeleteTopicsRequest>> request) {
  const std::int16_t version = request->head.version;
  const bool enabled = node.config.text("delete.topic.enable") == "true";
  std::vector<Outcome> outcomes;
  for (const Wish& wish : wishes_of(request->message, version)) {
    if (enabled) {
      const Outcome removed = co_await remove(node, wish, request->arena);
      outcomes.push_back(removed);
      continue;
    }
    Outcome& outcome = outcomes.emplace_back();
    outcome.name = wish.name;
    outcome.topic_id = wish.id;
    refuse(outcome, version < kDeletionDisabledFrom ? ErrorCode::kInvalidRequest : ErrorCode::kTopicDeletionDisabled,
           "Topic deletion is disabled.");
  }
  DeleteTopicsResponse response;
  response.responses = outcomes;
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_delete_topics(RequestContext& context) {
  return answer_later<DeleteTopicsRequest>(context, delete_topics);
}

}  // namespace braid::broker
