#!/bin/bash
# apps.sh INSTALLED RUN_RANKS CMAKE SOURCES BUILD: builds both demonstrations from where they lie in SOURCES,
# as a user does who has the library installed, sees that nothing else of PAT gets into them, and runs them.
set -eu
installed=$1 run_ranks=$2 cmake=$3 sources=$4 build=$5 # the same build folder at each run, for ccache
rm -rf "$build"
mkdir "$build"
trap 'rm -rf "$build"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
quietly() { "$@" >"$build/log" 2>&1 || { tail -n 30 "$build/log" >&2; fail "$*"; }; }

mpi=(${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPICXX:+-DMPI_CXX_COMPILER="$MPICXX"}) # that of this PAT, not the first that CMake finds
# Without optimisation it is built in half the time.
quietly "$cmake" -S "$sources" -B "$build" -G Ninja -DPAT_INSTALLED=ON -DCMAKE_PREFIX_PATH="$installed" "${mpi[@]}" -DCMAKE_BUILD_TYPE=None
quietly "$cmake" --build "$build" --parallel 2

# What the compiler has read. Of the tree that is apps/ and measure/ alone, and not as copies.
# Paths may be relative (ccache writes them so).
cd "$build"
ninja -t deps | sed -n 's/^    //p' | sort -u | xargs -d '\n' realpath -ms >read
for file in "$sources/apps/fft/main.cpp" "$sources/apps/helsim-mini/main.cpp" "$installed/include/pat/pat.h" \
  "$installed/include/pat/cxx/core/errors.hpp"; do
  grep -qxF "$file" read || fail "$file was not compiled"
done
grep -F "$sources/" read | grep -vE "^($sources/(apps|measure)|$installed|$build)/" && fail "more of the tree was compiled"

for program in pat-fft helsim-mini; do
  for library in libpat.so libpat-core.so; do
    ldd "bin/$program" | grep -qF "$library.0 => $installed/" || fail "$program does not use the installed $library"
  done
done
quietly "$run_ranks" 120 3 bin/pat-fft --size 4096 --iterations 20 --imbalance uniform:2ms
grep -q 'bsls' log || { cat log >&2; fail "pat-fft compares nothing"; }
quietly "$run_ranks" 120 3 bin/helsim-mini --case two-stream --steps 2 --width 64 --height 64 --output frames
[ "$(find frames -name 'frame-*.png' | wc -l)" -eq 3 ] || { ls frames >&2; fail "helsim-mini's pictures"; }
