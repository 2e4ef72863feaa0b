#include "broker/config/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "broker/config/excerpt.h"
#include "broker/config/properties.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

/// A file that is open for reading, as long as this lives.
class OpenFile {
 public:
  // A pipe without a writer must not be waited for.
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

/// Up to `bytes_max` bytes; errno when that fails.
int read_all(int descriptor, std::size_t bytes_max, std::string& text) {
  text.resize(bytes_max);
  std::size_t end = 0;
  while (end < bytes_max) {
    const ssize_t count = ::read(descriptor, text.data() + end, bytes_max - end);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) end += static_cast<std::size_t>(count);
  }
  text.resize(end);
  return 0;
}

/// Bytes of the file; what went wrong in `problem`.
std::string read_text(const std::string& path, std::string& problem) {
  const OpenFile file(path);
  struct stat facts{};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &facts) != 0) {
    problem = "can't open " + excerpt(path) + ": " + std::strerror(errno);
    return {};
  }
  if (!S_ISREG(facts.st_mode)) {
    problem = path + (S_ISDIR(facts.st_mode) ? " is a folder, not a file" : " is a pipe or a device, not a file");
    return {};
  }
  std::string text;
  const int error = read_all(file.descriptor(), protocol::kConfigFileBytesMax + 1, text);
  if (error != 0) problem = "can't read " + path + ": " + std::strerror(error);
  if (text.size() > protocol::kConfigFileBytesMax)
    problem = path + " is larger than " + std::to_string(protocol::kConfigFileBytesMax) + " bytes";
  return text;
}

}  // namespace

ConfigFile load_config_file(const std::string& path) {
  ConfigFile file;
  const std::string text = read_text(path, file.problem);
  if (!file.problem.empty()) return file;

  PropertiesText parsed = parse_properties(text);
  if (parsed.fault) file.problem = path + ":" + std::to_string(parsed.fault->line) + ": " + parsed.fault->reason;
  for (Property& property : parsed.properties) {
    file.entries.push_back({std::move(property.key), std::move(property.value), ConfigOrigin::kFile,
                            path + ":" + std::to_string(property.line)});
  }
  return file;
}

}  // namespace braid::broker
