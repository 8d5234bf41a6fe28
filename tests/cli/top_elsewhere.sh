#!/bin/bash
# top_elsewhere.sh RUN_RANKS LIVE_LOOP PAT: pat top sees ranks on other machines by way of rank 0. Machines are folders for
# sockets here, two ranks each: who looks in that of ranks 0 and 1 does not find the sockets of ranks 2 and 3.
set -u
run_ranks=$1 live_loop=$2 pat=$3
folder=$(mktemp -d)
mkdir -m 700 "$folder/0" "$folder/1"
launcher='' looker=''
trap 'for p in $launcher $looker; do kill "$p" 2>/dev/null; done; wait 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

cat >on_machine <<'END'
#!/bin/sh
export XDG_RUNTIME_DIR=$FOLDER/$(( ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / 2 ))
exec "$@"
END
chmod +x on_machine
export FOLDER=$folder
top() { XDG_RUNTIME_DIR=$folder/${machine:-0} "$pat" top --job "$job" --once "$@"; }
# until SECONDS TEST FILE: a look is in FILE of which jq says TEST.
until_seen() {
  local ends=$((SECONDS + $1))
  while [ $SECONDS -lt $ends ]; do
    top --format json >"$3" 2>err && jq -e "$2" "$3" >/dev/null && return
    sleep 0.1
  done
  return 1
}
start() {
  PAT_LIVE=1 "$run_ranks" 100 4 ./on_machine "$@" >job.out 2>&1 &
  launcher=$!
  for _ in {1..300}; do
    job=$(ls 0/pat 2>/dev/null | sed -n 's/^\([^.]*\)\.0\..*\.sock$/\1/p' | head -1)
    [ -n "$job" ] && return
    sleep 0.1
  done
  echo "FAILED: no job comes up: $(cat job.out)"
  exit 1
}

start "$live_loop" 40
ls 1/pat/"$job".{2,3}.*.sock >/dev/null 2>&1 || sleep 2
[ -z "$(ls 0/pat | grep -E '\.(2|3)\.')" ] || fail "the machines share sockets: $(ls 0/pat)"

# One look shows all four, and the late one on the other machine.
until_seen 60 '.calls > 10 and (.ranks | length) == 4 and .ranks[0].rank == 2 and .ranks[0].late_s > 0.03
  and all(.ranks[]; .answers and .calls > 10 and .host != null) and ([.ranks[] | select(.here) | .rank] | sort) == [0, 1]
  and ([.ranks[] | select(.rank == 0)][0].skew_share > 0.3)' view.json || fail "the view: $(cat view.json err)"
for _ in {1..50}; do top >out && grep -qE "^$job on .*: 4 ranks, 2 here, 2 by way of rank 0$" out && break; sleep 0.1; done
grep -qE "^$job on .*: 4 ranks, 2 here, 2 by way of rank 0$" out || fail "the head: $(cat out)"
grep -qE '^ +2 +[0-9.]+ ms .*, on [^ ]+$' out || fail "the late rank: $(cat out)"
# Between two looks a phase of there may be over, so it takes several.
saw() { jq -es "any(.[].ranks[] | select(.here | not); $1)" seen.json >/dev/null; }
for ((ends = SECONDS + 20; SECONDS < ends; )); do
  top --format json >>seen.json
  saw '.phase.region == "solve"' && saw '.phase.ends_in_s != null' && break
done
saw '.phase.region == "solve"' || fail 'no phase elsewhere is seen'
saw '.phase.ends_in_s != null' || fail 'no forecast elsewhere is seen'

# The other machine knows its own ranks alone.
machine=1 until_seen 20 '([.ranks[] | select(.here) | .rank] | sort) == [2, 3] and all(.ranks[]; .here or (.answers | not))' view.json ||
  fail "the other machine sees: $(cat view.json err)"

# One that is stopped elsewhere is told of as silent, and is back when it goes on; nobody is held up by it.
stopped=$(basename "$(ls 1/pat/"$job".3.*.sock)" | cut -d. -f3)
kill -STOP "$stopped"
until_seen 40 'all(.ranks[]; .rank != 3 or (.answers | not)) and any(.ranks[]; .rank == 2 and .answers)' view.json ||
  fail "a stopped one is told of: $(cat view.json)"
for _ in {1..100}; do top >out && grep -qE '^ +3 .* no answer: it is stopped, or busy, on another machine$' out && break; sleep 0.1; done
sed -n 5p out | grep -qE '^ +3 .* no answer: it is stopped' || fail "who is silent: $(cat out)"
kill -CONT "$stopped"
until_seen 40 'any(.ranks[]; .rank == 3 and .answers)' view.json || fail "one that goes on is not told of: $(cat view.json)"

# One that is killed elsewhere: looks end in order, and nothing is left here.
(for _ in {1..400}; do top >>looks 2>&1 || break; done) &
looker=$!
sleep 0.5
kill -KILL "$stopped"
wait "$launcher" "$looker"
launcher='' looker=''
grep -vE '^$|^pat: no job|^ +[0-9]|^ +rank |^ +calls |^the latest|^no call|on .* ranks|^ {11}[^ ]|no process' looks | head -3 | grep . &&
  fail 'a killed process spoils what is shown'
top >out 2>&1 && fail 'a job that is gone is shown'
[ -z "$(ls 0/pat)" ] || fail "sockets are left: $(ls 0/pat)"

# Jobs that are looked at all the time, by lookers that are killed, end as others do.
for daemon in on off; do
  start env PAT_DAEMON=$daemon "$pat" bench --quiet -n 20 --alg ls,auto --op gather --size 64k --pattern uniform:10ms
  (while kill -0 "$launcher" 2>/dev/null; do timeout -s KILL 0.1 "$pat" top --job "$job" --once; top; done >/dev/null 2>&1) &
  looker=$!
  wait "$launcher" || fail "a run that is looked at, with the daemon $daemon: $(cat job.out)"
  launcher=''
  wait "$looker"
  looker=''
  [ -z "$(ls 0/pat 1/pat | grep "^$job\.")" ] || fail "a run leaves: $(ls 0/pat 1/pat)"
done

[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
