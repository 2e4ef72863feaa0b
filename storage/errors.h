#pragma once

#include <boost/system/error_code.hpp>

namespace braid::storage {

/// What storage answers when it can't do what was asked. Errors of the machine's files come in the system category.
enum class StorageErrc {
  offset_out_of_range = 1,  // below the log start, or above the end
  unknown_partition,        // never made here, or removed
  partition_exists,         // the topic id and queue id are taken
  corrupt,                  // stored bytes that fail their checks: never handed out
  stale_read,               // the partition was cut between the plan of a read and the read: plan again
  not_yet,                  // no room in the tail or in prepared blocks right now: wait for progress and ask again
  disk_full,                // no room, and the disk refused to give more
  too_large,                // can't fit into any file of the log, whoever waits
  failed,                   // a write or sync failed before: nothing is acknowledged any more
  foreign,                  // a file of another store, or of a format that we don't know
  in_use,                   // another process, or another open store, holds the directory
  no_identity,              // the identity file is lost or damaged in both slots while there is data
};

const boost::system::error_category& storage_category();

inline boost::system::error_code make_error_code(StorageErrc code) {
  return boost::system::error_code(static_cast<int>(code), storage_category());
}

}  // namespace braid::storage

template <>
struct boost::system::is_error_code_enum<braid::storage::StorageErrc> : std::true_type {};
