#include "broker/runtime/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace braid::broker {

void prepare_standard_streams() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));  // can't fail for a signal that exists

  struct Stream {
    int descriptor;
    int flags;  // for the first two, those of the other direction: using them is the error that it was
  };
  for (const Stream& stream :
       std::array{Stream{STDIN_FILENO, O_WRONLY}, Stream{STDOUT_FILENO, O_RDONLY}, Stream{STDERR_FILENO, O_WRONLY}}) {
    if (::fcntl(stream.descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one. Without /dev/null there is nothing better than to go on.
    static_cast<void>(::open("/dev/null", stream.flags));
  }
}

}  // namespace braid::broker
