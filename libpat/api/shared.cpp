// libpat.so consists of the static libraries; a shared library needs one source of its own.

#include "pat/pat.h"

static_assert(PAT_VERSION_MAJOR == 0, "raise SOVERSION in CMakeLists.txt with the major version");
