#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>

#include "broker/metadata/metadata_log.h"
#include "protocol/base/result.h"
#include "protocol/messages/entity.h"

namespace braid::broker {

/// Gives out producer ids, each once in the life of the cluster: a block of them is written down before its first id
/// leaves, so that a crash wastes ids and repeats none. The lane's.
class ProducerIds {
 public:
  /// Both outlive it.
  ProducerIds(Shard& shard, MetadataLog& metadata) : shard_(shard), metadata_(metadata) {}

  /// disk_full, failed.
  boost::asio::awaitable<protocol::Result<protocol::ProducerId>> next();

 private:
  Shard& shard_;
  MetadataLog& metadata_;
  std::int64_t next_ = 0;
  std::int64_t block_end_ = 0;
};

}  // namespace braid::broker
