#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "protocol/base/bytes.h"
#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// Owns a file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  /// The number, which somebody else closes from now on.
  int release() { return std::exchange(number_, -1); }

 private:
  void close();

  int number_ = -1;
};

/// A file of the machine; see File for the contract.
class PosixFile final : public File {
 public:
  PosixFile(Descriptor descriptor, bool direct);

  Result<void> sync() override;
  Result<void> truncate(std::uint64_t size_bytes) override;
  Result<void> allocate(std::uint64_t at, std::uint64_t bytes) override;
  Result<std::uint64_t> size() override;
  void advise(std::uint64_t at, std::uint64_t bytes, Advice advice) override;

 private:
  Result<std::size_t> read_some(std::uint64_t at, MutableBytes into) override;
  Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) override;

  const Descriptor descriptor_;
};

/// Calls `call` until it is not interrupted, at most kInterruptionsMax times; -1 and errno as the system call leaves
/// them.
template <class Call>
int uninterrupted(Call call) {
  int result = call();
  for (std::size_t tries = 1; result < 0 && errno == EINTR && tries < protocol::kInterruptionsMax; ++tries)
    result = call();
  return result;
}

}  // namespace braid::storage
