#include "broker/api/error_map.h"

#include <gtest/gtest.h>

#include <boost/asio/error.hpp>

#include <boost/system/errc.hpp>

#include "protocol/base/errc.h"
#include "protocol/records/batch_errc.h"

namespace braid::broker {
namespace {

using protocol::BatchErrc;
using protocol::Errc;
using protocol::ErrorCode;

struct MapCase {
  const char* name;
  boost::system::error_code error;
  int code;  // Kafka's number
};
class ErrorMap : public testing::TestWithParam<MapCase> {};

TEST_P(ErrorMap, GivesKafkasCode) { EXPECT_EQ(static_cast<int>(to_kafka(GetParam().error)), GetParam().code); }

INSTANTIATE_TEST_SUITE_P(
    Codes, ErrorMap,
    testing::Values(MapCase{"success", {}, 0}, MapCase{"a_disk", make_error_code(boost::system::errc::io_error), 56},
                    MapCase{"stranger", boost::asio::error::eof, -1}, MapCase{"truncated", Errc::truncated, 42},
                    MapCase{"malformed", Errc::malformed, 42}, MapCase{"too_large", Errc::too_large, 42},
                    MapCase{"unsupported_version", Errc::unsupported_version, 35},
                    MapCase{"bad_batch_length", BatchErrc::bad_batch_length, 2},
                    MapCase{"unknown_magic", BatchErrc::unknown_magic, 2},
                    MapCase{"crc_mismatch", BatchErrc::crc_mismatch, 2},
                    MapCase{"batch_too_large", BatchErrc::batch_too_large, 10},
                    MapCase{"larger_than_segment", BatchErrc::larger_than_segment, 18},
                    MapCase{"timestamp_out_of_range", BatchErrc::timestamp_out_of_range, 32},
                    MapCase{"timestamp_type_from_client", BatchErrc::timestamp_type_from_client, 32},
                    MapCase{"zstd_too_early", BatchErrc::zstd_too_early, 76},
                    MapCase{"unknown_codec", BatchErrc::unknown_codec, 76},
                    MapCase{"no_batch", BatchErrc::no_batch, 87}, MapCase{"old_magic", BatchErrc::old_magic, 87},
                    MapCase{"several_batches", BatchErrc::several_batches, 87},
                    MapCase{"no_sequence", BatchErrc::no_sequence, 87},
                    MapCase{"decompressed_too_large", BatchErrc::decompressed_too_large, 87},
                    MapCase{"offset_delta_out_of_order", BatchErrc::offset_delta_out_of_order, 87},
                    MapCase{"null_key", BatchErrc::null_key, 87}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace braid::broker
