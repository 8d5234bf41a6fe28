#!/usr/bin/env bash
# What the rules of `pat tune` are worth to programs that load no PAT: recorded arrivals before one call each, on
# the emulated cluster or on this machine, by plain MPI. Raw results go to build/reproduce.
set -euo pipefail
# shellcheck source=bench/reproduce/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../reproduce/common.sh"

usage() {
  cat <<'TEXT'
usage: bench/tune/check.sh trace [--nodes 8] [--trace FILE] [--op LIST] [--sizes LIST] [--rounds 5] [--iterations 10]
                                 [--first 40] [--dilate 5] [--show]
       bench/tune/check.sh local [the same; --nodes are processes]
Measures rules with `pat tune --trace FILE` (bench/traces/fft-uniform.trace), then plays the first iterations of the
trace before each operation with each size, with the library's own decisions and with the rules, in turn. Prints the
ratio of the medians with its bootstrap interval and what the rules say. A trace whose places name calls is played as
it is: --op - . Links have 1 Gbit/s and are stretched, computing as well. --show prints what was measured last. Needs
the rights of pat-cluster. `local` needs none: it starts the processes on this machine, as it is, by tests/mpi/run_ranks.sh;
with MPICH
  PAT_BIN=build/mpich/bin PAT_TEST_MPIRUN=mpirun.mpich PAT_TEST_PRELOAD=$PWD/build/mpich/lib/libmpi_yield.so
TEXT
}

nodes=8 rounds=5 iterations=10 first=40 dilate=5 trace="" op=bcast,reduce,allreduce,allgather,gather sizes=1M
own_option() {
  case $1 in
    --rounds) rounds=$(whole_number "$1" "$2") ;;
    --first) first=$(whole_number "$1" "$2") ;;
    --dilate) dilate=$(whole_number "$1" "$2") ;;
    --trace) trace=$2 ;;
    --op) op=$2 ;;
    --sizes) sizes=$2 ;;
    *) no_option "$1" ;;
  esac
}
read_options "--nodes --iterations" "$@"
if [ "$what" != trace ] && [ "$what" != local ]; then
  not_a_figure
  exit
fi
export PAT_CLUSTER_NAME=tune
trace=${trace:-$here/../traces/fft-uniform.trace}
name=tune-$nodes-$(basename "$trace" .trace)
[ "$what" = trace ] || name=local-$name
rules=$out/$name.conf

# ranks COMMAND...: one process a node, or as many on this machine.
ranks() {
  if [ "$what" = local ]; then
    "$here/../../tests/mpi/run_ranks.sh" 3000 "$nodes" "$@"
  else
    pat-cluster run "${run_options[@]}" -- "$@"
  fi
}

# played default|rules OPTIONS of pat-replay...: one line of JSON.
played() {
  local with=() by=$1
  shift
  [ "$by" = default ] || read -ra with < <(sed -n 's/.*use it with export //p' "$rules.txt")
  ranks env "${with[@]}" pat-replay "$trace" --first "$first" "$@"
}

# compare NAME OPTIONS of pat-replay...: pairs of runs, each first in every other; one line for people.
compare() {
  local data=$out/$name-$1.json label=$1 round by order
  shift
  if [ "$show" = no ]; then
    : >"$data"
    for ((round = 1; round <= rounds; ++round)); do
      order='default rules'
      ((round % 2)) || order='rules default'
      for by in $order; do
        played "$by" "$@" | jq -c --arg by "$by" '. + {by: $by}' >>"$data"
      done
    done
  fi
  [ -s "$data" ] || refuse "nothing measured yet: $data is missing"
  paste -d' ' <(jq 'select(.by == "rules").total_s' "$data") <(jq 'select(.by == "default").total_s' "$data") |
    paired_ratio "$label"
}

# call_of OPERATION SIZE: as a trace names it; sizes are those of whole vectors, a call's those of blocks.
call_of() {
  local bytes
  bytes=$(numfmt --from=iec "${2^^}")
  case $1 in
    allreduce) echo "$1, $bytes bytes" ;;
    bcast | reduce) echo "$1, root 0, $bytes bytes" ;;
    gather | scatter) echo "$1, root 0, $((bytes / nodes)) bytes" ;;
    *) echo "$1, $((bytes / nodes)) bytes" ;;
  esac
}

tune_options=(--trace "$trace" --iterations "$iterations" --commutative --same-arguments --quiet -o "$rules")
[ "$op" = - ] || tune_options+=(--op "$op" --sizes "$sizes")
if [ "$what" = trace ]; then need_cluster "$nodes" --dilate "$dilate"; fi
[ "$show" = yes ] || ranks pat tune "${tune_options[@]}" | tee "$rules.txt" | head -n -1
if [ "$op" = - ]; then
  compare as-recorded
  exit
fi
for one in ${op//,/ }; do
  for size in ${sizes//,/ }; do
    compare "$one-$size" --call "$(call_of "$one" "$size")"
  done
done
