#include "protocol/base/errc.h"

#include <string>

namespace braid::protocol {
namespace {

class ErrcCategory final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "braid.protocol"; }

  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::truncated:
        return "the bytes end before the structure does";
      case Errc::malformed:
        return "a length, count, tag or null that the structure does not allow";
      case Errc::too_large:
        return "larger than the limit allows";
      case Errc::not_hex:
        return "not pairs of hexadecimal digits";
      case Errc::unsupported_version:
        return "a message version that has no encoding here";
    }
    return "unknown error " + std::to_string(value);
  }
};

}  // namespace

const boost::system::error_category& errc_category() {
  static const ErrcCategory category;
  return category;
}

}  // namespace braid::protocol
