# Writes OUT with the current commit, only when it changed, so that nothing is rebuilt without need.
# Called at build time: cmake -DSOURCE=... -DVERSION=... -DOUT=... -P revision.cmake
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision unknown)
endif()
set(text "#pragma once

#include <string_view>

namespace braid::broker {

inline constexpr std::string_view kVersion = \"${VERSION}\";
inline constexpr std::string_view kRevision = \"${revision}\";

}  // namespace braid::broker
")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
