#!/usr/bin/env bash
# records.sh RUN_RANKS RECORDS PAT: trace and report hold the calls of all communicators and all
# ranks, and what a run has recorded when it ends in another way than by PAT_Finalize.
set -u
run_ranks=$1 records=$2 pat=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
run() { rm -f run* r.json; PAT_TRACE=run.trace PAT_REPORT=r.json "$run_ranks" 60 4 "$records" "$@" >out 2>&1; }
iterations() { # of all traces there are
  local trace
  for trace in run*.trace; do
    [ -e "$trace" ] && "$pat" trace show "$trace" --format json | jq -r '"\(.ranks)x\(.iterations)"'
  done | sort | xargs
}

# Each of two rows made 20 reductions, each of two columns 20 allreduces; nobody called anything on
# the communicator of PAT_Init.
run finalize 20 || fail "finalize: $(cat out)"
[ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "traces of rows and columns: $(iterations)"
grep -q '^# region: reduce, root 0, 32768 bytes, after region default$' run.trace || fail "$(head run.trace)"
grep -q '^# other processes met in run-4.trace$' run.trace || fail "$(head -15 run.trace)"
cat run*.trace | grep -c '^# region: allreduce, 8 bytes$' | grep -qx 2 || fail "$(head -8 run*.trace)"
[ "$(jq -c '[.complete, .calls, (.process | length), (.places | length)]' r.json)" = '[true,80,4,4]' ] ||
  fail "the report: $(jq -c '[.complete, .calls, (.process | length), (.places | length)]' r.json)"
[ "$(jq -c '[.places[].processes] | sort' r.json)" = '[[0,1],[0,2],[1,3],[2,3]]' ] || fail "$(jq -c .places r.json)"
ls run.trace.rank* 2>/dev/null && fail "journals are left"

# Of a trace that names others, the report is of all.
"$pat" report run.trace --format json >traces.json || fail "the report of all traces"
[ "$(jq -c '.[0].analysis | [.processes, (.places | length), (.maps | length)]' traces.json)" = '[4,4,4]' ] ||
  fail "the report of all traces: $(jq -c '.[0].analysis | [.processes, (.places | length)]' traces.json)"
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b) }'; }
for key in skew_s elapsed_s; do
  near "$(jq ".[0].analysis.$key" traces.json)" "$(jq ".analysis.$key" r.json)" ||
    fail "$key of all traces: $(jq ".[0].analysis.$key" traces.json), not $(jq ".analysis.$key" r.json)"
done
rm run-3.trace
"$pat" report run.trace >out 2>&1 || fail "a trace is gone: $(cat out)"
grep -q "^pat: 'run-3.trace', of other processes of this run, is not beside" out || fail "a trace is gone: $(cat out)"

# A second session of the program has files of its own.
run twice 20 || fail "twice: $(cat out)"
grep -q 'run.trace is of an earlier session of this program, this one writes .*/run.session2.trace$' out || fail "twice: $(cat out)"
[ "$(jq .calls r.json),$(jq .calls r.session2.json)" = 80,80 ] || fail "twice: $(ls)"
[ "$("$pat" trace show run.session2.trace --format json | jq .iterations)" = 20 ] || fail "twice: $(ls)"
rm -f r.session2.json

# Two sessions at once, too, whichever comes first; what an older run has left is nobody's.
touch run.trace.rank0 run.trace.rank2 run.trace.rank3
run halves 20 || fail "halves: $(cat out)"
grep -q 'run.trace is of another session, which still runs, this one writes .*/run.session2.trace$' out || fail "halves: $(cat out)"
[ "$(jq .calls r.json),$(jq .calls r.session2.json)" = 20,20 ] || fail "halves: $(jq .calls r.json r.session2.json)"
[ "$("$pat" trace show run.session2.trace --format json | jq -c '[.ranks, .iterations]')" = '[2,20]' ] ||
  fail "halves: $("$pat" trace show run.session2.trace --format json)"
ls run*.rank* 2>/dev/null && fail "halves leave journals"
rm -f r.session2.json run.session2*.trace
# And one after the other on different processes.
run turns 20 || fail "turns: $(cat out)"
[ "$(jq .calls r.json),$(jq .calls r.session2.json)" = 40,40 ] || fail "turns: $(jq .calls r.json r.session2.json)"
rm -f r.session2.json run.session2*.trace

# As text: calls of both rows in one line, why the small ones are the library's.
text_report() { PAT_REPORT=stderr "$run_ranks" 60 4 "$records" finalize "$1" >out 2>&1 || fail "$(cat out)"; }
text_report 20
grep -qE '^ +reduce +0 +32768 +auto +40 .*\(2 communicators of 2\)' out || fail "rows in the report: $(cat out)"
grep -qE '^ +40 x +mpi: below PAT_MIN_BYTES' out || fail "why the small ones are left to mpi: $(cat out)"
grep -qE '^ +20 .* reduce, root 0, 32768 bytes, after region default, ranks 2 and 3$' out || fail "places: $(cat out)"

# Phases that no call of PAT's follows are arrivals, too.
run finalize -20 || fail "phases alone: $(cat out)"
[ "$(iterations)" = '4x20' ] || fail "phases alone: $(iterations)"
# How long their calls took nobody knows, so that is no time of 0; waiting for who is late is.
[ "$(jq '.analysis.in_collectives_s, .analysis.transfer_s' r.json | sort -u)" = null ] || fail "phases alone: $(jq .analysis r.json)"
[ "$(jq '.analysis.skew_s > 0' r.json)" = true ] || fail "phases alone: $(jq .analysis r.json)"
grep -q "^# region: no call of PAT's, after region default$" run.trace || fail "$(head run.trace)"

# As text nothing that was not measured has a number.
text_report -20
grep -qE "^ +20 +.*no call of PAT's" out || fail "phases alone, as text: $(cat out)"
text_report 0
grep -q 'no collective was called through PAT and no phase was computed: nothing was measured' out || fail "nothing: $(cat out)"
grep -q 'imbalance' out && fail "a number of nothing: $(cat out)"

# A program that forgets PAT_Finalize has all it recorded.
run forget 20
[ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "forget: $(iterations): $(cat out)"
[ "$(jq '.calls' r.json)" = 80 ] || fail "forget: a report of $(jq '.calls' r.json) calls: $(cat out)"

# One that is ended has it too. Open MPI kills for good a second after it has asked to end, which a
# loaded machine may take to write. MPICH's launcher kills at once: what it left no time to write is joined.
export OMPI_MCA_odls_base_sigkill_timeout=4
launcher=${PAT_TEST_MPIRUN:-mpirun}
leaves_time=yes
if "$launcher" --version 2>&1 | grep -qi hydra; then leaves_time=no; fi
whole() {
  if [ $leaves_time = no ] && [ -e run.trace.rank1 ]; then
    rm -f run*.trace
    "$pat" trace join run.trace >>out 2>&1
    [ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "$1, joined: $(iterations): $(cat out)"
    return
  fi
  [ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "$1: $(iterations): $(cat out)"
  [ "$(jq -c '[.complete, .calls]' r.json)" = '[false,80]' ] || fail "$1: a report of $(jq -c '[.complete, .calls]' r.json): $(cat out)"
}
below() { # below PID NAME: the processes of that name that PID has started, and those that they have
  local child
  for child in $(pgrep -P "$1"); do
    [ "$(ps -o comm= -p "$child")" = "${2:0:15}" ] && echo "$child" # the system keeps no more letters
    below "$child" "$2"
  done
}
wait_until_kept() { # each process its 40 calls
  for _ in $(seq 300); do
    [ "$(cat run.trace.rank* 2>/dev/null | grep -c '^\[')" = 160 ] && return
    sleep 0.1
  done
}
for how in exit abort abort0 pabort0 error0 crash0; do
  run $how 20
  whole $how
done
# Where rank 0 could not, another one writes, and says so.
[ $leaves_time = no ] || grep -qE 'rank 0 has died, and rank [123] writes for it: trace and report say what was recorded until now$' out ||
  fail "who writes for a rank 0 that crashed: $(cat out)"
# As text alone nothing is kept aside: what there is is rank 0's, and that is said.
PAT_REPORT=stderr "$run_ranks" 60 4 "$records" abort 20 >out 2>&1
[ $leaves_time = no ] || grep -q 'trace and report say what was recorded until now, of rank 0 alone; with PAT_TRACE it is of all$' out ||
  fail "a report of rank 0 alone, which does not say so: $(cat out)"
[ $leaves_time = no ] || grep -q '^the program ended without PAT_Finalize: this is what 1 of 4 processes left, up to then$' out ||
  fail "a report of rank 0 alone: $(cat out)"

for whom in "${launcher##*/}" records; do
  rm -f run* r.json
  PAT_TRACE=run.trace PAT_REPORT=r.json "$run_ranks" 60 4 "$records" wait 20 >out 2>&1 &
  waited=$!
  wait_until_kept
  signal=TERM
  [ "$whom" = records ] || signal=INT
  # shellcheck disable=SC2046
  kill -$signal $(below "$waited" "$whom")
  wait "$waited"
  whole "$whom killed"
done

# Killed without a word: what was kept aside within the last second is joined by hand.
rm -f run* r.json
touch run.trace.rank4 run.trace.rank5 # of a run with more processes
PAT_TRACE=run.trace "$run_ranks" 60 4 "$records" wait 20 >out 2>&1 &
waited=$!
wait_until_kept
[ ! -e run.trace.rank4 ] && [ ! -e run.trace.rank5 ] || fail "what an older run has left is still there"
# shellcheck disable=SC2046
kill -KILL $(below "$waited" records)
wait "$waited"
rm -f run*.trace
"$pat" trace show run.trace >out 2>&1 && fail 'shows a trace that nobody wrote'
grep -q 'make it of what the processes have recorded with `pat trace join run.trace`$' out || fail "what is left is not spoken of: $(cat out)"
mkdir kept && cp -p run.trace.rank* kept
"$pat" trace join run.trace >out 2>&1 || fail "join: $(cat out)"
[ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "joined: $(iterations): $(cat out)"
"$pat" report run.trace 2>&1 | grep -q '^waiting for who is late: ' || fail "no report of what was joined: $("$pat" report run.trace 2>&1)"
grep -q '^# iterations: open$' run.trace || fail "joined: $(head -3 run.trace)"
"$pat" trace join nothing.trace >out 2>&1 && fail "joins nothing"
grep -q "give the path that PAT_TRACE named" out || fail "$(cat out)"

# The next run puts aside what it would write over, and says so, unless that was joined.
again() { PAT_TRACE=run.trace "$run_ranks" 60 4 "$records" finalize 3 >out 2>&1 || fail "the next run: $(cat out)"; }
again
[ "$(grep -c 'was ended before it wrote' out)" -eq 0 ] || fail "joined, and yet: $(cat out)"
rm -f run*.trace*
cp -p kept/run.trace.rank0 . && touch run.trace # and of one process, whose journal tells when it was written
again
[ "$(grep -c 'was ended before it wrote' out)" -eq 0 ] || fail "joined of one process, and yet: $(cat out)"
rm -f run*.trace*
touch kept/run.trace.rank0 && cp -p kept/* .
again
grep -q 'an earlier run was ended before it wrote /.*/run.trace: .* join it with `pat trace join /.*/run.interrupted.trace`$' out ||
  fail "what a killed run left is not spoken of: $(cat out)"
[ "$(iterations)" = '2x3 2x3 2x3 2x3' ] || fail "the next run: $(iterations)"
rm -f run*.trace
"$pat" trace join run.interrupted.trace >out 2>&1 || fail "join: $(cat out)"
[ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "put aside: $(iterations): $(cat out)"
cp -p kept/run.trace.rank0 run.interrupted.trace.rank0 && touch run.interrupted.trace.rank0
"$pat" trace show run.interrupted.trace 2>out >shown || fail "an older trace: $(cat out)"
grep -q 'is older than what lies beside it, of a run that goes on or was interrupted: `pat trace join run.interrupted.trace -o' out ||
  fail "an older trace beside newer journals: $(cat out)"
cp -p kept/run.trace.rank0 gone.trace.rank0
"$pat" report gone.trace >out 2>&1 && fail "a report of nothing"
grep -q "'gone.trace' is not there, but what lies beside it is of a run" out || fail "no trace beside journals: $(cat out)"
rm gone.trace.rank0
# Another one that was killed, of which a journal is missing, is put beside the first.
cp -p kept/* . && touch run.trace.rank0 && rm run.trace.rank1
again
grep -q 'join it with `pat trace join /.*/run.interrupted2.trace`$' out || fail "a second one: $(cat out)"
[ "$(echo run.interrupted2.trace.rank*)" = 'run.interrupted2.trace.rank0 run.interrupted2.trace.rank2 run.interrupted2.trace.rank3' ] ||
  fail "aside lie $(echo run.interrupted*)"
cmp -s kept/run.trace.rank3 run.interrupted2.trace.rank3 || fail 'what was put aside has changed'
rm -rf kept

# A child of the program ends as it likes, and what it does is not the session's end.
run fork 20 || fail "fork: $(cat out)"
grep -q 'the child has ended' out || fail "fork: $(cat out)"
[ "$(iterations)" = '2x20 2x20 2x20 2x20' ] || fail "fork: $(iterations): $(cat out)"

# Settings that ranks decide by: refused where they differ. What rank 0 would write, it is told of.
"$run_ranks" 60 1 env PAT_MIN_BYTES=1 "$records" finalize 1 : -np 3 "$records" finalize 1 >out 2>&1
[ $? -eq 2 ] || fail "other settings on one process: $(cat out)"
"$run_ranks" 60 1 "$records" finalize 1 : -np 3 env PAT_TRACE=run.trace "$records" finalize 1 >out 2>&1 ||
  fail "a trace that rank 0 knows nothing of: $(cat out)"
grep -q 'is not set on rank 0, which would write it: set it on all' out || fail "who writes: $(cat out)"

# A disk that is full: report and trace say so. On a disk of one page that only this command sees; where
# none can be had, files may not become long.
alone=(unshare --mount)
[ "$(id -u)" -eq 0 ] || alone+=(--user --map-root-user)
mkdir small
if "${alone[@]}" mount -t tmpfs -o size=4k none small 2>/dev/null; then
  # shellcheck disable=SC2016
  PAT_REPORT=small/r.json "${alone[@]}" bash -c 'mount -t tmpfs -o size=4k none small && exec "$@"' bash \
    "$run_ranks" 60 4 "$records" finalize 20 >out 2>&1
  grep -q "small/r.json' cannot be written: No space left on device" out || fail "a full disk: $(cat out)"
fi
# shellcheck disable=SC2016
OMPI_MCA_btl=self,tcp MPIR_CVAR_NOLOCAL=1 UCX_TLS=self,tcp PAT_TRACE=small/run.trace PAT_REPORT=small/r.json "$run_ranks" 60 4 \
  bash -c 'trap "" XFSZ; ulimit -f 4; exec "$@"' bash "$records" finalize 200 >out 2>&1
grep -q "small/r.json' cannot be written: File too large" out || fail "a report that is too long: $(cat out)"
grep -q "small/run.trace[^ ]*' cannot be written: File too large" out || fail "a trace that is too long: $(cat out)"
exit $((failures > 0))
