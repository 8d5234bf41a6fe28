#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, and runs the tests.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/test.sh [--quick | --sanitize | --all]
  (none)      the fuzzers for a minute, then all tests but the long ones
  --quick     all tests but the long ones
  --sanitize  an hour: the unit tests, the MPI tests on 3 ranks and the tests of the commands under the address
              and undefined-behaviour sanitizers, where threads meet under the thread sanitizer, the fuzzers
  --all       all that (none) has, the long tests too, and every number of ranks under the sanitizers
TEXT
}

fuzz=yes
sanitize=no
release=yes
excluded=(--label-exclude long)
commands='^(cli_.*|fft_bad_input|helsim_command|bench_command|watchdog(_elsewhere)?|top(_elsewhere)?|records|report|one_leaves)$'
sanitized="_test\$|\.P3\$|$commands"
# Where threads meet: the other unit tests have one, and so have processes without a daemon.
threaded='^(core|agreement|region|background|fft)_test$|^(session|soak|nonblocking|persistent|blocking|protocol|annotation)_.*\.P3$|^early_data_background\.P2$'
unthreaded=(--label-exclude 'long|heavy' --exclude-regex '_foreground\.P3$')
sanitized_programs=pat_sanitized_test_programs
threaded_programs=pat_threaded_test_programs
case ${1-} in
  '') ;;
  --quick) fuzz=no ;;
  --sanitize) sanitize=yes release=no ;;
  --all) sanitize=yes excluded=() threaded='_test$|\.P[0-9]+$' unthreaded=(--label-exclude long) sanitized="$threaded|$commands"
    sanitized_programs=pat_test_programs threaded_programs=pat_test_programs ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac
if [ $# -gt 1 ]; then usage >&2 && exit 2; fi

# run_tests PRESET CTEST_ARGUMENT...: two at a time, of those that start many ranks one (they hold the lock
# `ranks`). Not more: ranks that wait give their processor away, and hardly get it back from two others.
run_tests() {
  local preset=$1
  shift
  say "testing build/$preset"
  ctest --test-dir "$root/build/$preset" --parallel 2 --output-on-failure "$@"
}

install_packages chromium # for the page of pat report
allow_many_ranks
cmake_arguments=(-DPAT_WERROR=ON)
# The release tests run last: the output ends on the closing line of the whole suite.
if [ "$release" = yes ]; then build release; fi
if [ "$sanitize" = yes ]; then
  build asan "$sanitized_programs" pat_sanitized_commands
  run_tests asan --label-regex '^(unit|mpi|cli)$' --label-exclude long --tests-regex "$sanitized"
  build tsan "$threaded_programs"
  run_tests tsan --label-regex '^(unit|mpi)$' --tests-regex "$threaded" "${unthreaded[@]}"
fi
if [ "$fuzz" = yes ]; then "$root/scripts/fuzz.sh"; fi
if [ "$release" = yes ]; then run_tests release "${excluded[@]}"; fi
