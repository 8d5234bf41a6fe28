#!/bin/bash
# examples.sh INSTALLED RUN_RANKS CMAKE EXAMPLES [PYTHON]: the examples of docs/examples are built as a user builds
# them, and come to the same results in all languages and on all numbers of processes.
set -eu
shopt -s inherit_errexit
installed=$1 run_ranks=$2 cmake=$3 examples=$4 python=${5-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
# That of this PAT, not the first that CMake finds.
mpi=(${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPICXX:+-DMPI_CXX_COMPILER="$MPICXX"} ${MPIFORT:+-DMPI_Fortran_COMPILER="$MPIFORT"})

"$cmake" -S "$examples" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$installed" "${mpi[@]}" -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' \
  -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror -DOMPI_SKIP_MPICXX' -DCMAKE_Fortran_FLAGS='-Wall' >"$work/log" 2>&1 &&
  "$cmake" --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the examples cannot be built"; }
package=$(dirname "$(dirname "$(find "$installed" -path '*pat/_session.py')")" 2>/dev/null)
export PYTHONPATH=$package PAT_REPORT=$work/report.json

# run RANKS NAME: what it prints.
run() {
  rm -f "$PAT_REPORT"
  case $2 in
    *.py) "$run_ranks" 120 "$1" "$python" -m mpi4py "$examples/$2" ;;
    *) "$run_ranks" 120 "$1" "$work/build/$2" ;;
  esac >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err" >&2; fail "$2 on $1 ranks ends with $?"; }
  [ -s "$PAT_REPORT" ] || fail "$2 on $1 ranks leaves no report"
  grep -q 'pat warning' "$work/err" && fail "$2 is annotated wrongly: $(cat "$work/err")"
  cat "$work/out"
}

# all_equal RANKS... -- NAME...: all print the same.
all_equal() {
  local ranks=() name said before=
  while [ "$1" != -- ]; do ranks+=("$1"); shift; done
  shift
  for name in "$@"; do
    case $name in
      *.py) [ -n "$python" ] || continue ;;
      *) [ -x "$work/build/$name" ] || continue ;;
    esac
    for count in "${ranks[@]}"; do
      said=$(run "$count" "$name")
      [ -z "$before" ] || [ "$said" = "$before" ] || fail "$name on $count ranks says '$said', not '$before'"
      before=$said
    done
  done
  echo "$before"
}

solved=$(all_equal 1 3 8 -- solver_c solver_cxx solver_fortran solver.py)
echo "$solved"
grep -q '^u = 0\.073[67]' <<<"$solved" || fail "the solution of the Poisson problem is wrong"  # 0.07367 in the limit
run 3 solver_c >/dev/null
jq -e '[.process[].regions[] | select(.name == "matrix").phases] | length == 3 and min > 20' "$PAT_REPORT" >/dev/null ||
  fail "the report lacks the phases of the solver"

work_done=$(all_equal 3 -- master_worker_c master_worker.py)
echo "$work_done"
# The longest under 80000 = 2 workers x 20 rounds x 2000 numbers starts at 77031.
grep -q 'of 80000 numbers 77031 has the longest sequence, 350 steps' <<<"$work_done" || fail "the master is wrong"

for count in 1 3 8; do
  summed=$(all_equal "$count" -- communicators_cxx communicators_fortran)
  echo "$summed"
  sed -E 's/.*the sum is ([0-9]+), and should be ([0-9]+)/\1 \2/' <<<"$summed" | awk '$1 != $2 || $1 == 0 { exit 1 }' ||
    fail "communicators: $summed"
done
