// The generated tables against the files of facts, row by row.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "protocol/messages/api.h"
#include "protocol/messages/error_code.h"

namespace braid::protocol {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
  return cells;
}

std::vector<Row> rows_of(const std::string& file) {
  std::ifstream in(std::string(BRAID_SCHEMA_FOLDER) + "/" + file);
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> columns = cells_of(line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells = cells_of(line);
    cells.resize(columns.size());
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells[i];
  }
  return rows;
}

std::string version_text(std::int16_t version, const char* never) {
  return version == kNoVersion ? never : std::to_string(version);
}

/// "3-8:1,9-13:2": the header version of each message version.
std::string header_ranges(const Api& api, std::int16_t (Api::*header_version)(std::int16_t) const) {
  std::string text;
  for (std::int16_t first = api.version_min; first <= api.version_max_unstable;) {
    std::int16_t last = first;
    while (last < api.version_max_unstable &&
           (api.*header_version)(static_cast<std::int16_t>(last + 1)) == (api.*header_version)(first))
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "") + ":" +
            std::to_string((api.*header_version)(first));
    first = static_cast<std::int16_t>(last + 1);
  }
  return text;
}

TEST(ApiTable, SaysWhatTheFactsSay) {
  std::size_t compared = 0;
  for (Row& row : rows_of("apis.tsv")) {
    if (row["min"] == "removed") continue;
    const Api* const api = find_api(static_cast<std::int16_t>(std::stoi(row["key"])));
    if (api == nullptr) continue;
    ++compared;
    SCOPED_TRACE(row["name"]);
    EXPECT_EQ(api->name, row["name"]);
    EXPECT_EQ(std::to_string(api->version_min), row["min"]);
    EXPECT_EQ(std::to_string(api->version_max), row["max"]);
    EXPECT_EQ(std::to_string(api->version_max_unstable), row["max_incl_unstable"]);
    EXPECT_EQ(version_text(api->flexible_from, "never"), row["first_flexible_request"]);
    EXPECT_EQ(version_text(api->flexible_from, "never"), row["first_flexible_response"]);
    EXPECT_EQ(header_ranges(*api, &Api::request_header_version), row["request_header"]);
    EXPECT_EQ(header_ranges(*api, &Api::response_header_version), row["response_header"]);
    const std::string listeners = std::string(api->on_broker ? "broker" : "") +
                                  (api->on_broker && api->on_controller ? "," : "") +
                                  (api->on_controller ? "controller" : "");
    EXPECT_EQ(listeners, row["listeners"]);
    EXPECT_EQ(api->cluster_action ? "y" : "n", row["cluster_action"]);
    EXPECT_EQ(api->forwarded_to_controller ? "y" : "n", row["forwarded_to_controller"]);
    EXPECT_EQ(version_text(api->throttle_time_from, "-"), row["throttle_time_ms_since"]);
    EXPECT_EQ(version_text(api->client_throttles_from, "-"), row["client_throttles_since"]);
  }
  EXPECT_EQ(compared, all_apis().size());
  EXPECT_EQ(compared, 79U);
}

TEST(ApiTable, FindsKeysAndOnlyThose) {
  for (const Api& api : all_apis()) EXPECT_EQ(find_api(static_cast<std::int16_t>(api.key)), &api);
  for (const int key : {-1, 4, 52, 95, 32767}) EXPECT_EQ(find_api(static_cast<std::int16_t>(key)), nullptr) << key;
}

TEST(ErrorCode, SaysWhatTheFactsSay) {
  std::vector<Row> rows = rows_of("errors.tsv");
  EXPECT_GT(rows.size(), 130U);
  for (Row& row : rows) {
    const auto code = static_cast<ErrorCode>(std::stoi(row["code"]));
    EXPECT_EQ(name(code), row["name"]);
    EXPECT_EQ(is_retriable(code) ? "y" : "n", row["retriable"]) << row["name"];
    EXPECT_EQ(refreshes_metadata(code) ? "y" : "n", row["refreshes_metadata"]) << row["name"];
  }
  EXPECT_EQ(static_cast<int>(ErrorCode::kNotLeaderOrFollower), 6);
  EXPECT_EQ(name(static_cast<ErrorCode>(9999)), "");
}

}  // namespace
}  // namespace braid::protocol
