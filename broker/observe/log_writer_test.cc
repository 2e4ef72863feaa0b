#include "broker/observe/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>

namespace braid::broker {
namespace {

constexpr std::size_t kQueuedBytesMax = 1050;
constexpr std::size_t kPipeBytes = 4096;
constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(1);  // for what must happen

/// A pipe that is as small as a pipe can be.
class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    EXPECT_GE(::fcntl(ends_[1], F_SETPIPE_SZ, kPipeBytes), 0);
  }
  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }

  void fill() const {
    const std::string blanks(kPipeBytes, '.');
    EXPECT_EQ(::write(ends_[1], blanks.data(), blanks.size()), static_cast<ssize_t>(kPipeBytes));
  }

  /// Reads until what was read is `enough`.
  template <class Enough>
  std::string read_until(Enough enough) const {
    std::string text;
    std::array<char, kPipeBytes> piece{};
    while (!enough(text)) {
      const ssize_t count = ::read(ends_[0], piece.data(), piece.size());
      if (count <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  std::string read_up_to(std::string_view last) const {
    return read_until([&](std::string_view text) { return text.ends_with(last); });
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string gap(std::int64_t lines) { return "(" + std::to_string(lines) + " missing)\n"; }

TEST(LogWriter, WritesLinesInTheirOrder) {
  const Pipe pipe;
  LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
  for (const char* line : {"one\n", "two\n", "three\n"}) writer.add(line);
  EXPECT_EQ(pipe.read_up_to("three\n"), "one\ntwo\nthree\n");
  EXPECT_TRUE(writer.flush(kPatience));
}

/// What became of the numbered lines behind the blanks: each was written, or is counted by a gap in its place.
struct Account {
  std::int64_t written = 0;
  std::int64_t missing = 0;
  bool in_place = true;
};
Account account_of(std::string_view text) {
  Account account;
  std::istringstream lines{std::string(text.substr(std::min(text.size(), kPipeBytes)))};
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    if (line.starts_with('(')) {
      account.missing += std::stoll(line.substr(1));
    } else {
      account.in_place = account.in_place && std::stoll(line) == account.written + account.missing;
      ++account.written;
    }
  }
  return account;
}

TEST(LogWriter, NeverWaitsForAStuckReaderAndCountsWhatIsMissingWhereItWouldHaveBeen) {
  const Pipe pipe;
  pipe.fill();
  LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
  constexpr std::int64_t kLines = 101;
  const std::string rest(96, 'x');
  for (std::int64_t i = 0; i < kLines - 1; ++i) writer.add(std::to_string(100 + i).substr(1) + " " + rest + "\n");
  writer.add("100\n");  // would find room, but not its place
  EXPECT_FALSE(writer.flush(std::chrono::milliseconds(0)));

  const std::string text = pipe.read_until([&](std::string_view so_far) {
    const Account account = account_of(so_far);
    return account.written + account.missing >= kLines;
  });
  const Account account = account_of(text);
  EXPECT_EQ(account.written + account.missing, kLines) << "each line once";
  EXPECT_TRUE(account.in_place) << text.substr(kPipeBytes);
  // The writer takes what is queued once, before it is stuck; as much again finds room behind that.
  EXPECT_GE(account.written, 10);
  EXPECT_LE(account.written, 21);
  EXPECT_TRUE(writer.flush(kPatience));

  writer.add("after\n");
  EXPECT_EQ(pipe.read_up_to("after\n"), "after\n");
}

TEST(LogWriter, LeavesOutALineThatIsLargerThanItsQueue) {
  const Pipe pipe;
  LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
  writer.add(std::string(kQueuedBytesMax + 1, 'x'));
  EXPECT_EQ(pipe.read_up_to("\n"), gap(1));
}

TEST(LogWriter, OutlivesAReaderThatHasGone) {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  Pipe pipe;
  LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
  pipe.close_reader();
  for (int i = 0; i < 3; ++i) {
    writer.add("lost\n");
    EXPECT_TRUE(writer.flush(kPatience)) << "what is refused is lost, not kept";
  }
}

TEST(LogWriter, StillWritesWhatIsQueuedWhenItIsDestroyed) {
  const Pipe pipe;
  pipe.fill();
  {
    LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
    writer.add("last\n");
  }
  EXPECT_TRUE(pipe.read_up_to("last\n").ends_with(".last\n"));
}

TEST(LogWriter, WaitsForRoomWhenSomebodyMadeTheDescriptorNonBlocking) {
  const Pipe pipe;
  pipe.fill();
  ASSERT_EQ(::fcntl(pipe.writer(), F_SETFL, O_NONBLOCK), 0);
  LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
  writer.add("late\n");
  EXPECT_TRUE(pipe.read_up_to("late\n").ends_with(".late\n"));
}

}  // namespace
}  // namespace braid::broker
