#include "broker/metadata/producer_ids.h"

#include "storage/errors.h"

namespace braid::broker {

using protocol::ProducerId;
using protocol::Result;

boost::asio::awaitable<Result<ProducerId>> ProducerIds::next() {
  constexpr std::int64_t kBlock = 1000;  // as Kafka's: a crash wastes no more
  while (next_ == block_end_) {
    std::int64_t begin = 0;
    const auto take_block = [&] {
      begin = metadata_.state().next_producer_id();
      return MetadataDecision{record_of_producer_ids(begin + kBlock)};
    };
    const auto committed = co_await metadata_.commit(take_block);
    if (committed.has_error()) co_return committed.error();
    const bool synced = co_await shard_.reached(storage::Durability::kSynced, *committed);
    if (!synced) co_return make_error_code(storage::StorageErrc::failed);
    if (next_ != block_end_) break;  // another request has brought a block meanwhile; this one is wasted
    next_ = begin;
    block_end_ = begin + kBlock;
  }
  co_return ProducerId{next_++};
}

}  // namespace braid::broker
