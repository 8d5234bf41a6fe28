#!/bin/bash
# top.sh RUN_RANKS LIVE_LOOP PAT: pat top looks at a running job, and neither hurts the other, whichever
# ends, stops or says nothing.
set -u
run_ranks=$1 live_loop=$2 pat=$3
folder=$(mktemp -d)
mkdir -m 700 "$folder/run"
export XDG_RUNTIME_DIR=$folder/run
launcher=''
trap '[ -z "$launcher" ] || kill "$launcher" 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

top() { "$pat" top --job "$job" "$@"; }
pid_of() { basename "$(ls run/pat/"$job.$1".*.sock)" | cut -d. -f3; }
# start LATE_MS: four processes, of which rank 2 is late; waits until 20 calls of them were joined.
start() {
  PAT_LIVE=${PAT_LIVE:-1} "$run_ranks" 300 4 "$live_loop" "$1" >job.out 2>&1 &
  launcher=$!
  for _ in {1..300}; do
    job=$(ls run/pat 2>/dev/null | sed -n 's/^\([^.]*\)\.0\..*\.sock$/\1/p' | head -1)
    [ -n "$job" ] && [ "$(top --once --format json 2>/dev/null | jq '.calls > 20')" = true ] && return
    sleep 0.1
  done
  echo "FAILED: no job comes up: $(cat job.out) $(ls run/pat)"
  exit 1
}

# No job: one sentence, with the remedy. (Other tests' jobs may run beside this.)
"$pat" top --once --job nosuch >out 2>&1
[ $? -eq 1 ] || fail 'no job ends with another status'
grep -qE "^pat: no job 'nosuch' (that can be looked at runs here, start it with PAT_LIVE=1: PAT_LIVE=1 mpirun -n 4 ./app|runs here, but .*)$" \
  out || fail "no job: $(cat out)"
PAT_LIVE=2 "$pat" info --env >out 2>&1 && fail 'PAT_LIVE=2 is taken'
"$pat" top --once --interval 0 >out 2>&1 && fail 'an interval of 0 is taken'
"$pat" top --format json >out 2>&1
grep -q -- '--format json is for --once' out || fail "json without --once: $(cat out)"

start 40
"$pat" top --once --job nosuch >out 2>&1 && fail 'a job that does not run is looked at'
grep -qE "^pat: no job 'nosuch' runs here, but (.*, )?$job(, .*)?, give one of these or leave --job out$" out || fail "another job: $(cat out)"
# Who is late stands first, the others wait for him, and both stay within the time that passed.
top --once --format json >view.json || fail "json: $(cat view.json)"
jq -e --arg job "$job" '.job == $job and .processes == 4 and (.ranks | length) == 4 and .ranks[0].rank == 2
  and .ranks[0].late_s > 0.03 and all(.ranks[]; .answers and .calls > 20 and .skew_share >= 0
    and .skew_share + .transfer_share < 1.01)
  and ([.ranks[] | select(.rank == 0)][0].skew_share > 0.3)
  and ([.ranks[] | select(.rank == 2)][0].skew_share < 0.15 + [.ranks[] | select(.rank == 0)][0].skew_share / 4)' view.json >/dev/null || fail "the view: $(cat view.json)"
jq -e 'any(.decided[]; (.what | startswith("gather, root 0, 16384 bytes")) and .algorithm != "" and .reason != "")' \
  view.json >/dev/null || fail "no decision: $(jq .decided view.json)"
top --once >out || fail "the table: $(cat out)"
grep -qE "^$job on .*: 4 ranks, 4 here$" out || fail "the head: $(cat out)"
grep -qE '^ +2 +[0-9.]+ ms +[0-9.]+ % +[0-9.]+ %  [a-z]' out || fail "the late rank: $(cat out)"
top --once --sort rank --format json | jq -e '[.ranks[].rank] == [0, 1, 2, 3]' >/dev/null || fail 'the order of ranks'
# What each does is seen, sooner or later: a phase with its forecast, and a call that waits for the late one.
: >seen.json
sees() { # sees CONDITION: of a rank
  for _ in {1..400}; do
    jq -se "any(.[]; $1)" seen.json >/dev/null && return
    top --once --format json | jq -c '.ranks[]' >>seen.json
    sleep 0.02
  done
  return 1
}
sees '.phase.region == "solve" and .phase.fraction == 0.5' || fail 'no edge is seen'
sees '.phase.ends_in_s != null' || fail 'no forecast is seen'
sees '.call.function == "PAT_Gather" and .rank == 0' || fail 'no call is seen'

# Metrics for Prometheus, on this machine alone.
"$pat" top --job "$job" --prometheus 99999 >out 2>&1 && fail 'a port that there is not is taken'
port=$((20000 + $$ % 10000))
if ! grep -q 'built without prometheus-cpp' out; then
  grep -q "99999', give a port" out || fail "a wrong port: $(cat out)"
  "$pat" top --job "$job" --prometheus $port >url 2>err &
  server=$!
  for _ in {1..100}; do [ -s url ] && break; sleep 0.05; done
  python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())' \
    "$(cat url)" >metrics || fail "no metrics: $(cat url err)"
  [ "$(cat url)" = "http://127.0.0.1:$port/metrics" ] || fail "the address: $(cat url)"
  python3 -c 'import sys, socket; socket.create_connection(("127.0.0.2", int(sys.argv[1])), 10)' $port 2>/dev/null &&
    fail 'metrics are served at another address than 127.0.0.1'
  grep -qE "^pat_rank_late_seconds\{job_name=\"$job\",rank=\"2\"\} 0\.0[3-9]" metrics || fail "metrics: $(cat metrics)"
  [ "$(grep -c '^pat_rank_answers{.*} 1$' metrics)" -eq 4 ] || fail "who answers: $(cat metrics)"
  "$pat" top --job "$job" --prometheus $port >out 2>&1 && fail 'a port is taken twice'
  grep -q 'another program may be there' out || fail "a port taken twice: $(cat out)"
  kill -TERM $server
  wait $server || fail "the server ends with $?"
fi

# In a terminal: keys work, and q leaves the job alone.
for key in s h p q; do
  sleep 0.4
  printf %s $key
done | TERM=xterm script -qec "stty cols 80 rows 24; '$pat' top --job $job --interval 200ms" screen.out >/dev/null 2>&1 ||
  fail "the screen ends with $?"
grep -q "$job goes on" screen.out || fail "q does not leave: $(cat -v screen.out | tail -3)"
grep -q 'waits' screen.out || fail 's does not sort'
grep -q 'sorts by late, waits' screen.out || fail 'h does not help'
grep -q 'q quit  s sort: late  p pause  h help' screen.out || fail "the last line: $(cat -v screen.out | head -3)"
"$pat" top --job "$job" </dev/null >out 2>&1 && fail 'no terminal is taken for one'
grep -q 'needs a terminal, or --once' out || fail "no terminal: $(cat out)"

# The screen follows the size of the terminal, however small: its last line is the terminal's.
python3 - "$pat" top --job "$job" --interval 200ms <<'END' || fail 'the size of the terminal'
import fcntl, os, pty, re, select, struct, sys, termios, time
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    time.sleep(0.5)  # until the terminal has its size
    os.execv(sys.argv[1], sys.argv[1:])

def resize(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

def read_until(seen, what):
    text, until = "", time.monotonic() + 30
    while not seen(text):
        if time.monotonic() > until:
            sys.exit(f"not seen: {what} in {text[-2000:]!r}")
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                text += "\0closed"
                if not seen(text):
                    sys.exit(f"it ended: {text[-2000:]!r}")

def draws_last_line_at(row):  # moves there, by line and column or by line alone, and writes it
    place = re.compile(rf"\x1b\[{row}(;1H|d)(\x1b[^a-zA-Z]*[a-zA-Z]|\r)*q ?")
    return lambda text: place.search(text) is not None

for rows, columns in ((24, 80), (10, 60), (40, 120), (2, 20), (24, 80)):
    resize(rows, columns)
    read_until(draws_last_line_at(rows), f"the last line in row {rows}")
os.write(terminal, b"q")
read_until(lambda text: "goes on" in text, "its farewell")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END

# Where only the watchdog is on, and nothing is decided.
kill "$launcher"
wait "$launcher"
rm -f run/pat/*
PAT_LIVE=0 PAT_WATCHDOG=auto PAT_ALG=mpi start 40
top --once --format json >view.json
jq -e '.ranks[0].rank == 2 and .ranks[0].late_s > 0.03 and any(.ranks[]; .skew_share > 0.2)
  and any(.decided[]; .what == "gather, root 0, 16384 bytes" and .algorithm == "mpi" and .reason == "mpi: chosen by the user")' \
  view.json >/dev/null || fail "a job without decisions: $(cat view.json)"
kill "$launcher"
wait "$launcher"
rm -f run/pat/*
start 40

# Readers that never read, or go away at once, hurt nobody.
python3 - run/pat/"$job".0.*.sock <<'END' || fail 'idle readers'
import glob, socket, sys, time
path = sys.argv[1]
readers = []
for i in range(40):
    one = socket.socket(socket.AF_UNIX)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    one.settimeout(5)
    until = time.monotonic() + 20  # the queue may be full
    while one.connect_ex(path) != 0:
        if time.monotonic() > until:
            sys.exit("nobody listens")
        time.sleep(0.02)
    if i % 2:
        one.close()
    else:
        readers.append(one)
time.sleep(0.5)
END
for _ in {1..20}; do
  top --once --format json >view.json && jq -e 'all(.ranks[]; .answers)' view.json >/dev/null && break
  sleep 0.2
done
jq -e 'all(.ranks[]; .answers)' view.json >/dev/null || fail "a process does not answer after idle readers: $(cat view.json)"

# A process that is stopped is named, at the top, and is back when it goes on.
stopped=$(pid_of 1)
kill -STOP "$stopped"
top --once >out || fail "a stopped process: $(cat out)"
sed -n 5p out | grep -qE "^ +1 .* no answer: process $stopped is stopped, or busy$" || fail "who is stopped: $(cat out)"
kill -CONT "$stopped"
for _ in {1..20}; do
  top --once --format json >view.json && jq -e 'all(.ranks[]; .answers)' view.json >/dev/null && break
  sleep 0.2
done
jq -e 'all(.ranks[]; .answers)' view.json >/dev/null || fail 'a process that goes on does not answer'

# One that is killed while it is looked at: the command ends in order, and nothing is left.
(for _ in {1..200}; do top --once >>looks 2>&1 || break; done) &
looker=$!
kill -KILL "$(pid_of 3)"
wait "$looker"
wait "$launcher"
launcher=''
grep -vE '^$|^pat: no job|^ +[0-9]|^ +rank |^ +calls |^the latest|^no call|on .* ranks|^ {11}[^ ]|no process' looks | head -3 | grep . &&
  fail 'a killed process spoils what is shown'
top --once >out 2>&1 && fail 'a job that is gone is shown'
[ -z "$(ls run/pat)" ] || fail "sockets are left: $(ls run/pat)"

# A folder that others can enter is refused on both sides, and the program goes on.
chmod 755 run/pat
PAT_LIVE=1 "$run_ranks" 60 2 "$pat" bench --quiet -n 2 --alg lin --op gather --size 1k >out 2>&1 ||
  fail "a program is ended by a folder: $(cat out)"
grep -q "does not answer .pat top. (PAT_LIVE is 1): the folder '$XDG_RUNTIME_DIR/pat' is open to other users, close it: chmod 700" \
  out || fail "the program about the folder: $(cat out)"
"$pat" top --once >out 2>&1 && fail 'a folder open to others is read'
grep -q 'is open to other users, close it: chmod 700' out || fail "pat top about the folder: $(cat out)"
chmod 700 run/pat

# Without the daemon, and after a whole run nothing is left.
PAT_LIVE=1 PAT_DAEMON=off "$run_ranks" 60 2 "$pat" bench --quiet -n 2 --alg lin --op gather --size 1k >out 2>&1 ||
  fail "without the daemon: $(cat out)"
[ -z "$(ls run/pat)" ] || fail "a run leaves: $(ls run/pat)"

# Who does not ask for it has no socket, and no folder for one.
rm -r run/pat
for live in 0 1; do
  PAT_LIVE=$live PAT_WATCHDOG=0 "$run_ranks" 60 2 "$pat" bench --quiet -n 2 --alg lin --op gather --size 1k >out 2>&1 ||
    fail "PAT_LIVE=$live: $(cat out)"
  [ "$(ls run)" = "$([ $live = 1 ] && echo pat)" ] || fail "PAT_LIVE=$live leaves in the folder for sockets: $(ls run)"
done

[ $failures -eq 0 ] && echo "all well"
exit $((failures > 0))
