#pragma once

#include "broker/api/request.h"
#include "broker/config/config.h"
#include "broker/metadata/metadata_log.h"
#include "broker/metadata/producer_ids.h"
#include "broker/metadata/topics.h"
#include "broker/partition/shard.h"
#include "broker/runtime/byte_budget.h"
#include "broker/runtime/workers.h"
#include "protocol/base/clock.h"

namespace braid::broker {

class FetchSessions;
class GroupCoordinator;

/// What handlers reach of the broker. Outlives every request. Each part says whose it is.
struct Node {
  const BrokerFacts& facts;
  const Config& config;
  const protocol::Clock& clock;
  Shard& shard;
  MetadataLog& metadata;
  Topics& topics;
  ProducerIds& producer_ids;
  FetchSessions& fetch_sessions;
  Workers& workers;
  GroupCoordinator& groups;
  ByteBudget& request_bytes;  // of requests that came in part, are held back, or wait
  ByteBudget& fetch_bytes;    // of answers to fetches
};

}  // namespace braid::broker
