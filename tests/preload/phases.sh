#!/bin/bash
# phases.sh RUN_RANKS PAT PROGRAM: the computing phases that PAT finds in a program that says nothing of
# them: where they end, how long they are without the waits for messages, and what is foretold.
set -u
run_ranks=$1 pat=$2 program=$3
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
calls=20
first_line=$(grep -n -m 1 MPI_Allreduce "$(dirname "${BASH_SOURCE[0]}")/phases.c" | cut -d: -f1)

look() { # look WHAT OPTIONS OF PAT RUN...
  rm -f r.json run*.trace
  "$run_ranks" 100 3 "$pat" run --report r.json --trace run.trace "${@:2}" -- "$program" $calls >out 2>err ||
    fail "$1: status $?, $(cat err)"
  [ ! -s err ] || fail "$1: it says $(cat err)"
  regions=$(jq -c '[.process[] | {rank, region: .regions[] | select(.phases > 0)}]' r.json)
  # All phases before a gather, and all but the first before an exchange with neighbours that follows one.
  jq -e --argjson n $calls '[.[] | select(.region.name == "gather at phases.c:73 (main)").region.phases] == [$n, $n, $n]' \
    <<<"$regions" >/dev/null || fail "$1: phases before the gather: $regions"
  jq -e '[.[] | select(.region.name | startswith("neighbor_allgather at phases.c:")).region.phases] | length == 3 and min > 15' \
    <<<"$regions" >/dev/null || fail "$1: phases before the exchange: $regions"
  # Each rank computes at least 10 ms, rank 0 at least 20, of which nothing may be taken for a pause.
  jq -e --argjson n $calls 'all(.[] | select(.region.name | startswith("gather at"));
      .region.computing_s >= (if .rank == 0 then 0.020 else 0.010 end) * $n)' <<<"$regions" >/dev/null ||
    fail "$1: computing times: $regions"
  # Rank 1 waits for the message of rank 0, which is no computing.
  jq -e '.[] | select(.rank == 1 and (.region.name | startswith("gather at"))).region.paused_s > 0.02' \
    <<<"$regions" >/dev/null || fail "$1: no pauses: $regions"
  # Both kinds of places are in the trace, each call once.
  [ "$(grep -c '^# place: gather, root 0, 160000 bytes, after region gather at phases.c:73 (main)$' run.trace)" -eq 1 ] &&
    [ "$(grep -c '^# place: neighbor-allgather, 8 bytes, after region neighbor_allgather at phases.c:77 (main)$' run.trace)" -eq 1 ] ||
    fail "$1: places of the trace: $(grep '^# place' run.trace)"
  # Calls without a phase that is long enough to be looked at have their lines, too.
  [ "$(jq -c '[.places[] | select(.place | startswith("allreduce")) | [.place, .iterations]] | sort' r.json)" = \
    "[[\"allreduce, 8 bytes, after region allreduce at phases.c:$first_line (main)\",$calls],[\"allreduce, 8 bytes, after region allreduce at phases.c:$((first_line + 1)) (main)\",$calls]]" ] ||
    fail "$1: calls without a phase: $(jq -c '[.places[] | [.place, .iterations]]' r.json)"
  [ "$(jq '[.places[] | select(.place | startswith("gather")).iterations] | add' r.json)" = $calls ] ||
    fail "$1: not $calls gathers: $(jq -c .places r.json)"
}
forecasts() { jq '[.process[].regions[] | select(.name | startswith("gather at")).forecasts] | min' r.json; }

# Short beside its computing, a gather is left to the library in long leases; here each call is decided, and so foretold.
export PAT_LEASE_MAX=1
look 'in the foreground'
[ "$(forecasts)" -ge 3 ] || fail "in the foreground: $(forecasts) forecasts"
look 'with a daemon' --threads multiple
[ "$(forecasts)" -ge 3 ] || fail "with a daemon: $(forecasts) forecasts"
jq -e '[.process[].control_messages] | add > 0' r.json >/dev/null || fail "nobody told the leader anything"
# How far a phase has come is inferred from its message, in the middle; phases without one tell nothing.
edges() { jq --arg r "$1" '[.process[].regions[] | select(.name | startswith($r)).edges] | min' r.json; }
[ "$(edges 'gather at')" -ge $((calls - 5)) ] || fail "with a daemon: $(edges 'gather at') edges before the gather"
[ "$(edges 'neighbor_allgather at')" -eq 0 ] || fail "with a daemon: $(edges 'neighbor_allgather at') edges before the exchange"
# What all do together, such as making a communicator, is a pause, too, but tells nothing of how far a phase is.
for what in communicator window file; do
  "$run_ranks" 100 3 "$pat" run --report r.json --threads multiple -- "$program" $calls $what >out 2>err ||
    fail "$what: status $?, $(cat err)"
  [ ! -s err ] || fail "$what: it says $(cat err)"
  jq -e '[.process[] | select(.rank > 0).regions[] | select(.name | startswith("gather at")).paused_s] | min > 0.02' r.json \
    >/dev/null || fail "$what: no pauses: $(jq -c '[.process[].regions[] | [.name, .paused_s]]' r.json)"
  [ "$(edges 'gather at')" -eq 0 ] || fail "$what: $(edges 'gather at') edges before the gather"
done
# Of a program that lets the message come anywhere the shares are wrong, and nothing else is.
"$run_ranks" 100 3 "$pat" run --report r.json --threads multiple --alg gather=bsls -- "$program" $calls erratic \
  >out 2>err || fail "erratic: status $?, $(cat err)"
[ ! -s err ] || fail "erratic: it says $(cat err)"
[ "$(edges 'gather at')" -ge $((calls / 2)) ] || fail "erratic: $(edges 'gather at') edges"
[ "$(jq '[.process[].streams[].calls_by_algorithm.bsls // 0] | add' r.json)" -eq $((3 * calls)) ] || fail "erratic: not all calls"
look 'watched only' --watch
[ "$(jq -c '[.process[].streams[].calls_by_algorithm | keys[]] | unique' r.json)" = '["mpi"]' ] ||
  fail "watched only: $(jq -c '[.process[].streams[].calls_by_algorithm]' r.json)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
