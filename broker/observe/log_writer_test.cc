#include "broker/observe/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

  /// Reads until what was read ends with `last`.
  std::string read_up_to(std::string_view last) const {
    std::string text;
    std::array<char, kPipeBytes> piece{};
    while (!text.ends_with(last)) {
      const ssize_t count = ::read(ends_[0], piece.data(), piece.size());
      if (count <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return text;
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

TEST(LogWriter, NeverWaitsForAStuckReaderAndCountsWhatIsMissingWhereItWouldHaveBeen) {
  const Pipe pipe;
  pipe.fill();
  LogWriter writer(pipe.writer(), kQueuedBytesMax, gap);
  const std::string line(99, 'x');
  // Between 10 and 20 find room: the writer may have taken the first ones out of the queue already.
  for (int i = 0; i < 100; ++i) writer.add(line + "\n");
  writer.add("short\n");  // would find room, but not its place
  EXPECT_FALSE(writer.flush(std::chrono::milliseconds(0)));

  const std::string text = pipe.read_up_to(" missing)\n");
  const std::string lines = text.substr(kPipeBytes);
  const std::size_t gap_begin = lines.find('(');
  ASSERT_NE(gap_begin, std::string::npos);
  const std::size_t written = gap_begin / 100;
  EXPECT_GE(written, 10U);
  EXPECT_LE(written, 20U);
  EXPECT_EQ(lines.substr(gap_begin), gap(101 - static_cast<std::int64_t>(written)));
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
