#pragma once

#include <boost/system/error_code.hpp>

#include "protocol/messages/error_code.h"

namespace braid::broker {

/// The only place where errors of the layers below become codes of Kafka. What has no better code is
/// UNKNOWN_SERVER_ERROR.
protocol::ErrorCode to_kafka(const boost::system::error_code& error);

}  // namespace braid::broker
