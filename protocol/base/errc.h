#pragma once

#include <boost/system/error_code.hpp>

namespace braid::protocol {

/// What bytes from outside can do wrong, seen below any Kafka error code; broker/api/error_map translates.
enum class Errc {
  truncated = 1,        // ends before its structure does
  malformed,            // a length, count, tag or null that the structure does not allow
  too_large,            // passes a bound of limits.h
  not_hex,              // text that is not pairs of hexadecimal digits
  unsupported_version,  // a message version that has no encoding here
};

const boost::system::error_category& errc_category();

inline boost::system::error_code make_error_code(Errc code) {
  return boost::system::error_code(static_cast<int>(code), errc_category());
}

}  // namespace braid::protocol

template <>
struct boost::system::is_error_code_enum<braid::protocol::Errc> : std::true_type {};
