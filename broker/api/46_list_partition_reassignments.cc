// ListPartitionReassignments, key 46, version 0: which partitions are on their way to other brokers.
//
// - None ever is: there is one broker. Partitions that are asked about and not under way are left out, known or not.
#include "broker/api/46_list_partition_reassignments.h"

#include <optional>

#include "protocol/messages/46_list_partition_reassignments.h"

namespace braid::broker {

protocol::Result<Answer> answer_list_partition_reassignments(RequestContext& context) {
  protocol::ListPartitionReassignmentsRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  protocol::ListPartitionReassignmentsResponse response;
  response.error_message = std::nullopt;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
