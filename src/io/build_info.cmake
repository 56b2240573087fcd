# Writes OUTPUT with the version and the git revision at build time, only when they changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision unknown)
endif()
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
  OUTPUT_VARIABLE changes ERROR_QUIET)
set(dirty 0)
if(NOT changes STREQUAL "")
  set(dirty 1)
endif()
set(text "#pragma once\n
#define MASING_VERSION \"${VERSION}\"
#define MASING_GIT_REVISION \"${revision}\"
#define MASING_GIT_DIRTY ${dirty}
#define MASING_COMPILER \"${COMPILER}\"
#define MASING_FLAGS \"${FLAGS}\"
#define MASING_EIGEN \"${EIGEN}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL "${old}")
  file(WRITE ${OUTPUT} "${text}")
endif()
