# cmake -DSOURCE=FOLDER -DHEADER=FILE -P Revision.cmake: writes what `git describe` says of FOLDER into
# a header, unless it stands there already: what includes it is compiled again only when it changes.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define PAT_REVISION \"${revision}\"\n")
