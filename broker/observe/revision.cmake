# Writes OUT with the current commit, only when it changed, so that nothing is rebuilt without need.
# Called at build time: cmake -DSOURCE=... -DVERSION=... -DOUT=... -P revision.cmake
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision unknown)
endif()
set(text "#pragma once\n#define BRAID_VERSION \"${VERSION}\"\n#define BRAID_REVISION \"${revision}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
