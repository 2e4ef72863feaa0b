#include "storage/store_subject.h"

#include "protocol/base/check.h"

namespace braid::storage {

void StoreSubject::settle() {
  const protocol::Instant now{};
  bool busy = true;
  while (busy) {
    store().request_sync();
    const auto wrote = store().write_out(now);
    protocol::check(wrote.has_value(), "nothing fails here");
    busy = *wrote == Step::kWorked;
    if (std::unique_ptr<Chore> chore = store().next_chore(now)) {
      chore->run();
      protocol::check(store().finish(std::move(chore)).has_value(), "nothing fails here");
      busy = true;
    }
  }
}

}  // namespace braid::storage
