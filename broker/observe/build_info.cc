#include "broker/observe/build_info.h"

#include "broker/observe/revision.h"

namespace braid::broker {

std::string_view version() { return kVersion; }
std::string_view revision() { return kRevision; }

}  // namespace braid::broker
