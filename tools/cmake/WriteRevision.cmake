# Run at build time: writes the revision header, only if it changed.
# -DREVISION=... (may be empty) -DSOURCE=<repository> -DOUTPUT=<header>
if(REVISION STREQUAL "")
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --exclude=*
    OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(REVISION STREQUAL "")
  set(REVISION unknown)
endif()
set(text "#pragma once\n/// The revision of the sources this was built from.\nconstexpr const char* kRevision = \"${REVISION}\";\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
