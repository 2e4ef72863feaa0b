// The real directory on this machine's disk, as a broker opens it.
#include "broker/partition/data_directory.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "broker/runtime/system_clock.h"

namespace braid::broker {
namespace {

using Opened = std::variant<std::unique_ptr<DataDirectory>, std::string>;

class DataDirectoryTest : public testing::Test {
 protected:
  DataDirectoryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "braid-data-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~DataDirectoryTest() override { std::filesystem::remove_all(root_); }

  Opened open() {
    StorageSettings settings;
    settings.log_dir = root_ + "/data";
    settings.file_bytes = 4 << 20;
    settings.tail_bytes = 1 << 20;
    settings.flush_interval = std::chrono::milliseconds(500);
    settings.flush_bytes = 1 << 20;
    return open_data_directory(settings, clock_);
  }
  static std::string problem(const Opened& opened) {
    const auto* text = std::get_if<std::string>(&opened);
    return text == nullptr ? "" : *text;
  }

  const SystemClock clock_;
  std::string root_;
};

TEST_F(DataDirectoryTest, IsMadeWhenMissingAndOpenedAgain) {
  {
    const Opened opened = open();
    ASSERT_EQ(problem(opened), "");
    EXPECT_EQ(std::get<0>(opened)->close(), "");
  }
  EXPECT_EQ(problem(open()), "");
}

TEST_F(DataDirectoryTest, IsRefusedWhileAnotherHasIt) {
  const Opened first = open();
  ASSERT_EQ(problem(first), "");
  EXPECT_NE(problem(open()).find("another broker"), std::string::npos);
}

TEST_F(DataDirectoryTest, IsRefusedWhenItIsKafkas) {
  std::filesystem::create_directories(root_ + "/data");
  std::ofstream(root_ + "/data/meta.properties") << "version=1\n";
  EXPECT_NE(problem(open()).find("Apache Kafka"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/shard-0"));
}

TEST_F(DataDirectoryTest, IsRefusedWhenItIsAFile) {
  std::ofstream(root_ + "/data") << "x";
  EXPECT_NE(problem(open()).find("can't be made"), std::string::npos);
}

}  // namespace
}  // namespace braid::broker
