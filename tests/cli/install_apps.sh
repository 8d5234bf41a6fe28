#!/bin/bash
# install_apps.sh CMAKE SOURCES BUILD: installs the library, then builds both demonstrations with it as a
# user would, from sources that lack the library, the commands and the tests, and runs them.
set -eu
cmake=$1 sources=$2 build=$3
run_ranks=$sources/tests/mpi/run_ranks.sh
work=$build/install_apps # the same at each run, for ccache
rm -rf "$work"
mkdir -p "$work/sources"
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; echo "FAILED: $*"; exit 1; }; }

quietly "$cmake" --install "$build" --prefix "$work/pat"
quietly rm "$work"/pat/bin/{pat-fft,helsim-mini}
PKG_CONFIG_PATH=$(dirname "$(find "$work/pat" -name pat.pc)")
export PKG_CONFIG_PATH
cp -r "$sources"/{CMakeLists.txt,cmake,core,predictors,collectives,measure,apps} "$work/sources"
quietly "$cmake" -S "$work/sources" -B "$work/build" -DPAT_INSTALLED=ON
quietly "$cmake" --build "$work/build" --parallel 2

for program in pat-fft helsim-mini; do
  ldd "$work/build/bin/$program" | grep -q "libpat.so.* => $work/pat/" ||
    { echo "FAILED: $program does not use the installed library"; exit 1; }
done
cd "$work"
quietly "$run_ranks" 120 3 build/bin/pat-fft --size 4096 --iterations 20 --imbalance uniform:2ms
grep -q 'bsls' log || { cat log; echo "FAILED: pat-fft compares nothing"; exit 1; }
quietly "$run_ranks" 120 3 build/bin/helsim-mini --case two-stream --steps 2 --width 64 --height 64 --output frames
[[ $(find frames -name 'frame-*.png' | wc -l) -eq 3 ]] || { ls frames; echo "FAILED: helsim-mini's pictures"; exit 1; }
echo ok
