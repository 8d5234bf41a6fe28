# Sourced by the other scripts: where things lie, what must be installed, how to build and to run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# The packages of packages.txt, and those named, that this machine lacks, on one line.
missing_packages() {
  local package status
  while read -r package; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=none
    [ "$status" = installed ] || printf '%s ' "$package"
  done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/scripts/packages.txt" && if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi)
}

# Installs packages through apt, or ends with one sentence that says what to do instead.
apt_install() {
  local log
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "these packages are missing and there is no sudo, install them as root: $*"
  fi
  say "installing through apt: $*"
  log=$(mktemp)
  if ! { as_root apt-get update &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } \
    >"$log" 2>&1 </dev/null; then
    tail -n 5 "$log" >&2
    rm -f "$log"
    fail "apt could not install $*; see the lines above, and whether the network can be reached"
  fi
  rm -f "$log"
}

# install_packages [PACKAGE...]: what is missing of packages.txt and of the packages named.
install_packages() {
  local missing
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "there is no apt on this system, install the counterparts of scripts/packages.txt by hand" \
      "and build with: cmake --preset release && cmake --build build/release"
  fi
  missing=$(missing_packages "$@")
  if [ -z "$missing" ]; then
    say "all packages are installed"
    return
  fi
  # One word a package.
  # shellcheck disable=SC2086
  apt_install $missing
}

# build PRESET TARGET...: configures and builds; extra cmake arguments come in $cmake_arguments.
cmake_arguments=()
build() {
  local preset=$1 log target targets=()
  shift
  for target in "$@"; do targets+=(--target "$target"); done
  say "configuring and building build/$preset"
  log=$(mktemp)
  if ! (cd "$root" && cmake --preset "$preset" "${cmake_arguments[@]}") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "the preset $preset could not be configured, see the lines above"
  fi
  rm -f "$log"
  cmake --build "$root/build/$preset" -j "$(build_jobs)" "${targets[@]}"
}

# As many jobs as cores, but no more than one for each 1.5 GiB of memory.
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemTotal:/ { print int($2 / 1572864) }' /proc/meminfo)
  if [ "$by_memory" -lt 1 ]; then by_memory=1; fi
  if [ "$cores" -lt "$by_memory" ]; then echo "$cores"; else echo "$by_memory"; fi
}

# Lets Open MPI start more ranks than cores, whose waiting ranks give way, also as root. The
# variables mean nothing to other MPI libraries.
allow_many_ranks() {
  export OMPI_MCA_rmaps_base_oversubscribe=1
  export OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}
