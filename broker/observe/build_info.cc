#include "broker/observe/build_info.h"

#include "broker/observe/revision.h"

namespace braid::broker {

std::string_view version() { return BRAID_VERSION; }
std::string_view revision() { return BRAID_REVISION; }

}  // namespace braid::broker
