// Preloaded into the broker by disk_test.py: once the file named by BRAID_TEST_FAIL_SYNC exists, every sync of a file
// fails as a broken disk makes it fail.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

namespace {

bool disk_is_broken() {
  const char* const mark = getenv("BRAID_TEST_FAIL_SYNC");
  return mark != nullptr && access(mark, F_OK) == 0;
}

}  // namespace

extern "C" int fdatasync(int descriptor) {
  if (disk_is_broken()) {
    errno = EIO;
    return -1;
  }
  using Sync = int (*)(int);
  static const Sync real = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, "fdatasync"));
  return real(descriptor);
}
