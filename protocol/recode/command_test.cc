#include "protocol/recode/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace braid::protocol {
namespace {

std::string answer_to(std::string_view line) {
  Arena arena;
  return answer(line, arena);
}

struct LineCase {
  const char* name;
  const char* line;
  const char* answer;
};

void PrintTo(const LineCase& given, std::ostream* out) { *out << given.line; }

class Line : public testing::TestWithParam<LineCase> {};

TEST_P(Line, IsAnswered) { EXPECT_EQ(answer_to(GetParam().line), std::string(GetParam().answer) + "\n"); }

INSTANTIATE_TEST_SUITE_P(
    Messages, Line,
    testing::Values(LineCase{"request", "18 3 request 0263023100", "0263023100"},
                    LineCase{"blanks_between_digits", "  18   3 request 02 63 02 31 00\r", "0263023100"},
                    LineCase{"response", "18 0 response 0023 00000001 0012 0000 0005", "002300000001001200000005"},
                    LineCase{"empty_body", "18 0 request", ""},
                    LineCase{"surplus_bytes_are_ignored", "3 1 request ffffffff aabb", "ffffffff"},
                    LineCase{"unknown_tag_is_not_sent_on", "18 3 request 0263 0231 01 05 02 aabb", "0263023100"},
                    LineCase{"header", "header request_header 2 0003 0009 00000007 ffff 00",
                             "00030009"
                             "00000007ffff00"},
                    LineCase{"data", "data offset_commit_key 0 0001 67 0001 74 00000000", "00016700017400000000"},
                    LineCase{"json", "json 18 3 request 0263023100",
                             R"({"client_software_name":"c","client_software_version":"1"})"},
                    LineCase{"json_of_nulls", "json 3 1 request ffffffff", R"({"topics":null})"},
                    LineCase{"json_of_header", "json header response_header 1 00000007 00", R"({"correlation_id":7})"},
                    LineCase{"json_of_bytes", "json data consumer_protocol_assignment 0 00000000 00000002 aabb",
                             R"({"assigned_partitions":[],"user_data":"aabb"})"},
                    LineCase{
                        "json_leaves_out_default_tags",
                        "json 1 12 request ffffffff 00000000 00000000 7fffffff 00 00000000 00000000 01 01 01 00",
                        R"({"replica_id":-1,"max_wait_ms":0,"min_bytes":0,"max_bytes":2147483647,"isolation_level":0,)"
                        R"("session_id":0,"session_epoch":0,"topics":[],"forgotten_topics_data":[],"rack_id":""})"}),
    [](const auto& param) { return std::string(param.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Errors, Line,
    testing::Values(
        LineCase{"empty_line", "", "error the line is empty"},
        LineCase{"unknown_command", "hello", "error unknown command, see --help"},
        LineCase{"unknown_key", "1000 0 request 00", "error no API has that key, see --list"},
        LineCase{"key_too_large", "99999 0 request 00", "error unknown command, see --help"},
        LineCase{"unknown_version", "18 9 request 00", "error the message has no such version"},
        LineCase{"no_version", "18 x request 00", "error the version is not a number"},
        LineCase{"no_direction", "18 0 question", "error neither request nor response"},
        LineCase{"unknown_name", "data nothing 0 00", "error no structure has that name, see --list"},
        LineCase{"wrong_kind", "data request_header 1 00", "error that name is of another kind, see --list"},
        LineCase{"not_hex", "18 3 request 0x", "error not pairs of hexadecimal digits"},
        LineCase{"truncated", "18 3 request 0263",
                 "error a length, count, tag or null that the structure does not allow"},
        LineCase{"bad_codec", "build-records brotli 1 1", "error the codec is none, gzip, snappy, lz4 or zstd"},
        LineCase{"bad_count", "build-records none 1 -1", "error the count is not a number up to 100000"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Records, APrintedBatchHasALineForItselfAndOneForEachRecord) {
  EXPECT_EQ(
      answer_to("records 0000000000000000 0000003a ffffffff 02 e99b8dd8 0000 00000000 0000018bcfe56800 "
                "0000018bcfe56800 ffffffffffffffff ffff ffffffff 00000001 10 00 00 00 02 6b 02 76 00"),
      R"({"base_offset":0,"last_offset":0,"bytes":70,"leader_epoch":-1,"magic":2,"crc":3919285720,"crc_ok":true,)"
      R"("codec":"none","log_append_time":false,"base_timestamp":1700000000000,"max_timestamp":1700000000000,)"
      R"("transactional":false,"control":false,"producer_id":-1,"producer_epoch":-1,"base_sequence":-1,"count":1})"
      "\n"
      R"({"offset":0,"timestamp":1700000000000,"key":"6b","value":"76","headers":[]})"
      "\n");
}

TEST(Records, AreBuiltTheSameFromTheSameSeedAndReadBack) {
  for (const std::string codec : {"none", "gzip", "snappy", "lz4", "zstd"}) {
    const std::string line = "build-records " + codec + " 7 20";
    const std::string built = answer_to(line);
    EXPECT_EQ(built, answer_to(line));
    EXPECT_NE(built, answer_to("build-records " + codec + " 8 20"));
    const std::size_t tab = built.find('\t');
    ASSERT_NE(tab, std::string::npos) << built;
    const std::string printed = answer_to("records " + built.substr(tab + 1));
    EXPECT_EQ(std::ranges::count(printed, '\n'), 21) << codec;
    EXPECT_EQ(printed.find("error"), std::string::npos) << printed;
    // Each record is described the same before it was written and after it was read.
    for (std::size_t at = printed.find('\n') + 1; at < printed.size(); at = printed.find('\n', at) + 1) {
      const std::string record = printed.substr(at, printed.find('\n', at) - at);
      EXPECT_NE(built.find(record), std::string::npos) << record;
    }
  }
}

TEST(Records, WhatEndsWithinABatchIsAnErrorAfterTheBatchesBeforeIt) {
  EXPECT_TRUE(answer_to("records 00000000").starts_with("error "));
  EXPECT_EQ(answer_to("records"), "");
}

TEST(MessageList, NamesApisStructuresAndHeaders) {
  const std::string list = message_list();
  for (const char* line : {"api 0 Produce 3 13\n", "api 22 InitProducerId 0 6\n", "header request_header 1 2\n",
                           "data consumer_protocol_subscription 0 3\n", "data offset_commit_value 0 4\n"}) {
    EXPECT_NE(list.find(line), std::string::npos) << line;
  }
}

TEST(HelpText, NamesEveryCommand) {
  for (const char* word :
       {"request|response", "data NAME", "header NAME", "json", "records HEX", "build-records", "--list"})
    EXPECT_NE(help_text().find(word), std::string_view::npos) << word;
}

}  // namespace
}  // namespace braid::protocol
