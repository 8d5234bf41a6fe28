#!/bin/bash
# unbuilt.sh CMAKE SOURCES: who installs before all is built is told so in a sentence, and nothing is installed.
set -eu
cmake=$1 sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; cat "$work/log" >&2; exit 1; }

mpi=(${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPICXX:+-DMPI_CXX_COMPILER="$MPICXX"}) # that of this PAT, not the first that CMake finds
"$cmake" -S "$sources" -B "$work/build" -G Ninja -DPAT_TESTS=OFF -DPAT_BENCHMARKS=OFF -DPAT_APPS=OFF "${mpi[@]}" >"$work/log" 2>&1 ||
  fail "the project cannot be configured"
refuses() { # refuses FILE [OPTION...]: names it as what is not there
  "$cmake" --install "$work/build" --prefix "$work/installed" "${@:2}" >"$work/log" 2>&1 && fail "what is not built is installed"
  tr -s ' \n' ' ' <"$work/log" | grep -qF "PAT cannot be installed before all of it is built" || fail "no sentence"
  tr -d ' \n' <"$work/log" | grep -qF "$1'isnotthereyet:cmake--build$work/build" || fail "$1 is not named, or what to do"
  grep -q 'cannot find' "$work/log" && fail "CMake's own words"
  [ ! -e "$work/installed" ] || fail "half of it is installed: $(find "$work/installed")"
}
refuses /lib/libpat-core.so.0.1.0
refuses /lib/libpat-preload.so --component tools
mkdir -p "$work/build/bin" "$work/build/lib"
touch "$work/build/lib/libpat-preload.so" "$work/build/bin/pat"
refuses /tools/man1 --component tools
