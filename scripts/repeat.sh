#!/usr/bin/env bash
# Runs the tests again and again beside a build, and says how often each has failed.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/repeat.sh [--times N] [--minutes N] [--show] [CTEST_ARGUMENT...]
  Builds, then runs the tests (all but the long ones, or those that the arguments choose, such as
  -R session) one pass after the other while a second build of the whole project goes round beside
  them. Ends when each has passed 50 or N times on this commit, counting earlier runs, or after N
  minutes; prints how often each was run and how often it failed. Ends with 1 if any did.
  --show  prints the table of what there is, and runs nothing
  What was found is kept in build/repeat/results.csv, what failed in build/repeat/failed.
TEXT
}

times=50
minutes=0
show=no
tests=()
while [ $# -gt 0 ]; do
  case $1 in
    --times | --minutes)
      [[ ${2-} =~ ^[1-9][0-9]{0,5}$ ]] || fail "$1 is '${2-}', give a whole number above 0"
      if [ "$1" = --times ]; then times=$2; else minutes=$2; fi
      shift
      ;;
    --show) show=yes ;;
    -h | --help) usage && exit 0 ;;
    *) tests+=("$1") ;;
  esac
  shift
done
[ ${#tests[@]} -gt 0 ] || tests=(--label-exclude long)

folder=$root/build/repeat
results=$folder/results.csv
mkdir -p "$folder/failed"
commit=$(git -C "$root" describe --always --dirty)
[ -f "$results" ] || echo commit,test,result,seconds >"$results"

# table: a line a test of this commit, those that failed most first; ends with 1 if any did.
table() {
  awk -F, -v commit="$commit" '$1 == commit {
      ++runs[$2]; seconds[$2] += $4; if ($3 != "passed") { ++failed[$2]; any = 1 }
    }
    END {
      for (test in runs)
        printf "%-44s %6d %6d %9.1f\n", test, runs[test], failed[test], seconds[test] / runs[test]
      exit any
    }' "$results" | sort -k3,3nr -k1,1 | {
    printf '%-44s %6s %6s %9s\n' test runs failed 'seconds'
    cat
  }
  return "${PIPESTATUS[0]}"
}

# fewest: how often the test that was run least was run.
fewest() {
  awk -F, -v commit="$commit" '$1 == commit { ++runs[$2] }
    END { least = -1; for (t in runs) if (least < 0 || runs[t] < least) least = runs[t]; print least < 0 ? 0 : least }' "$results"
}

if [ "$show" = yes ]; then table && exit 0 || exit 1; fi

install_packages
allow_many_ranks
cmake_arguments=(-DPAT_WERROR=ON)
build release

# A whole build, without what a compiler cache would spare, for as long as the tests run.
build_round_and_round() {
  cmake -S "$root" -B "$folder/beside" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
  while :; do
    CCACHE_DISABLE=1 ninja -C "$folder/beside" -j 2 >/dev/null
    ninja -C "$folder/beside" -t clean >/dev/null
  done
}
build_round_and_round &
beside=$!
trap 'kill "$beside" 2>/dev/null; pkill -P "$beside" 2>/dev/null || true' EXIT

end=$((minutes > 0 ? SECONDS + 60 * minutes : 1 << 30))
while [ "$(fewest)" -lt "$times" ] && [ "$SECONDS" -lt "$end" ]; do
  log=$folder/pass.xml
  ctest --test-dir "$root/build/release" --parallel 2 --output-on-failure --output-junit "$log" \
    "${tests[@]}" >"$folder/pass.log" 2>&1 || cp "$folder/pass.log" "$folder/failed/$(date +%s)"
  grep -o '<testcase name="[^"]*"[^>]*' "$log" |
    sed -E 's/.*name="([^"]*)".* time="([^"]*)".* status="([^"]*)".*/\1 \2 \3/' |
    while read -r test seconds status; do
      case $status in run) status=passed ;; fail) status=failed ;; *) continue ;; esac
      echo "$commit,$test,$status,$seconds"
    done >>"$results"
  say "pass done: each test was run $(fewest) times or more"
done
table
