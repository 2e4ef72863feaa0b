#include "protocol/records/record_errors.h"

#include "protocol/base/check.h"
#include "protocol/base/limits.h"

namespace braid::protocol {
namespace {

bool about_time(BatchErrc reason) {
  return reason == BatchErrc::timestamp_out_of_range || reason == BatchErrc::timestamp_type_from_client;
}

}  // namespace

std::string to_message(const RecordError& error) {
  if (error.reason == BatchErrc::timestamp_out_of_range) {
    return "Timestamp " + std::to_string(error.timestamp) +
           " is out of the range that message.timestamp.before.max.ms and message.timestamp.after.max.ms allow.";
  }
  return make_error_code(error.reason).message();
}

void RecordErrors::clear() {
  listed_.clear();
  total_ = 0;
}

void RecordErrors::add(const RecordError& error) {
  if (empty() || (about_time(error.reason) && !about_time(decisive_))) decisive_ = error.reason;
  ++total_;
  if (listed_.size() < kRecordErrorsMax) listed_.push_back(error);
}

BatchErrc RecordErrors::decisive() const {
  check(!empty(), "there is a bad record");
  return decisive_;
}

}  // namespace braid::protocol
