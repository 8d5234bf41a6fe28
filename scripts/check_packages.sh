#!/usr/bin/env bash
# Builds the Debian packages, lets lintian look at them, installs them in a bare Debian 12 and builds and runs the
# examples there. As root (debootstrap, chroot); needs the network for Debian's packages.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1-} in
  -h | --help)
    echo "usage: scripts/check_packages.sh [BUILD]    as root; BUILD: the build folder (build/packages), which is set up for"
    echo "packages; PAT_MIRROR: where Debian's packages come from"
    exit 0 ;;
  -*) fail "there is no option $1, see --help" ;;
esac
[ "$(id -u)" -eq 0 ] || fail "a bare Debian system can be made by root only, run it as root"
mirror=${PAT_MIRROR:-http://deb.debian.org/debian}
install_packages debootstrap lintian

folder=$(realpath -m "${1:-$root/build/packages}")
say "building the packages in $folder"
mkdir -p "$folder"
rm -f "$folder"/*.deb
cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DPAT_TESTS=OFF \
  -DPAT_BENCHMARKS=OFF -DPython3_EXECUTABLE=/usr/bin/python3 >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; fail "cannot be configured"; }
cmake --build "$folder" -j "$(build_jobs)" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; fail "cannot be built"; }
(cd "$folder" && cpack -G DEB) >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; fail "cpack failed"; }
packages=("$folder"/*.deb)
for name in libpat0 libpat-dev pat-tools libpat-fortran-dev python3-pat; do
  compgen -G "$folder/${name}_*.deb" >/dev/null || fail "$name was not made, see whether gfortran, mpi4py and pybind11 are installed"
done

say "lintian"
lintian --allow-root --fail-on error --tag-display-limit 0 "${packages[@]}" >"$folder/lintian" 2>&1 ||
  { grep '^E:' "$folder/lintian" >&2; fail "lintian finds errors"; }
sed -n 's/^\(.\): .*/\1/p' "$folder/lintian" | sort | uniq -c

say "a bare Debian 12"
bare=$(mktemp -d)
cleanup() {
  umount -q "$bare/proc" "$bare/dev/shm" 2>/dev/null || true
  rm -rf --one-file-system "$bare"
}
trap cleanup EXIT
debootstrap --variant=minbase bookworm "$bare" "$mirror" >"$folder.log" 2>&1 || { tail -n 5 "$folder.log" >&2; fail "debootstrap failed"; }
mount -t proc proc "$bare/proc"
mkdir -p "$bare/dev/shm" "$bare/packages" && mount -t tmpfs shm "$bare/dev/shm"
cp /etc/resolv.conf "$bare/etc/"
cp "${packages[@]}" "$bare/packages"
cp -r "$root/docs/examples" "$bare/examples"
inside() { env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none chroot "$bare" "$@"; }

# The commands without a compiler, then what programs are built with.
quietly() { "$@" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; fail "failed in the bare system: $*"; }; }
quietly inside apt-get update
quietly inside sh -c 'apt-get install -y --no-install-recommends /packages/libpat0_*.deb /packages/pat-tools_*.deb'
quietly inside pat info
quietly inside mpirun -n 3 pat-fft --size 4096 --iterations 3 --imbalance uniform:1ms
quietly inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb gcc g++ libc6-dev pkgconf'
for build in 'mpicc /examples/solver.c $(pkg-config --cflags --libs pat) -lm' \
  'mpicxx -std=c++17 /examples/solver.cpp $(pkg-config --cflags --libs pat)' \
  'mpifort /examples/solver.f90 $(pkg-config --cflags --libs pat-fortran)'; do
  quietly inside sh -c "$build -o /solver && mpirun -n 3 /solver"
  grep -q '^u = 0.0736' "$folder.log" || fail "the example is wrong: $(cat "$folder.log")"
done
quietly inside mpirun -n 3 python3 -m mpi4py /examples/solver.py
grep -q '^u = 0.0736' "$folder.log" || fail "the example in Python is wrong: $(cat "$folder.log")"
quietly inside python3 -c 'from pat import schedule; print(schedule.operations())'
# They go as they came, and those that need the library with it.
quietly inside sh -c 'apt-get remove -y libpat0 pat-tools && ! dpkg -l pat-tools python3-pat libpat-dev libpat-fortran-dev 2>/dev/null | grep ^ii'
say "the packages install, build and run on a bare Debian 12"
