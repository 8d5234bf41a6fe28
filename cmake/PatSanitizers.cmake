# What the sanitizers need in the environment of a test: PAT_SANITIZER_ENV, for the test programs that
# start MPI PAT_SANITIZER_MPI_ENV; empty without them. The suppressions name the code of MPI and of what
# it stands on only, each with its reason (tests/sanitizers). Leaks are looked for in what users run and
# in tests without MPI, not yet in the test programs on ranks.
#
# intercept_tls_get_addr=0: up to GCC 13 the sanitizer takes a thread-local block of a library that was
# loaded late, which begins by chance at a certain place in its page, for one of glibc before 2.25, reads
# an address and a length in front of it and dies of them when it looks for leaks
# (github.com/google/sanitizers/issues/1322). Open MPI loads its parts so.

set(PAT_SANITIZER_ENV "")
set(supp ${PROJECT_SOURCE_DIR}/tests/sanitizers)
if(PAT_SANITIZE MATCHES "address")
  list(APPEND PAT_SANITIZER_ENV "ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0"
       "LSAN_OPTIONS=suppressions=${supp}/lsan.supp:print_suppressions=0")
endif()
if(PAT_SANITIZE MATCHES "undefined")
  list(APPEND PAT_SANITIZER_ENV "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1")
endif()
if(PAT_SANITIZE MATCHES "thread")
  list(APPEND PAT_SANITIZER_ENV
       "TSAN_OPTIONS=suppressions=${supp}/tsan.supp:second_deadlock_stack=1:print_suppressions=0")
endif()
set(PAT_SANITIZER_MPI_ENV "${PAT_SANITIZER_ENV}")
list(TRANSFORM PAT_SANITIZER_MPI_ENV REPLACE "detect_leaks=1" "detect_leaks=0")
