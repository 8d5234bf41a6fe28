#!/bin/bash
# watchdog_elsewhere.sh RUN_RANKS LATE_RANK LIVE_LOOP: who is late alone on its machine is named by those who wait on that
# of rank 0. Machines are folders for sockets here: ranks 0 and 1 are on one, rank 2 on the other.
set -u
run_ranks=$1 late_rank=$2 live_loop=$3
folder=$(mktemp -d)
mkdir -m 700 "$folder/0" "$folder/1"
launcher=''
trap '[ -z "$launcher" ] || kill "$launcher" 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0 begun=0 output=output
complain() {
  printf 'watchdog_elsewhere.sh: %s\n' "$*" >&2
  sed 's/^/    /' "$output" >&2
  failed=1
}
cat >on_machine <<'END'
#!/bin/sh
export XDG_RUNTIME_DIR=$FOLDER/$(( ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / 2 ))
exec "$@"
END
chmod +x on_machine
export FOLDER=$folder PAT_WATCHDOG=auto PAT_DAEMON=on

# start RANKS ARGUMENT...: the loop in the background; stop ends it.
start() {
  output=output$((++begun))  # who is killed may still write to the one before
  "$run_ranks" 100 "$1" ./on_machine "$live_loop" "${@:2}" >"$output" 2>&1 &
  launcher=$!
}
stop() {
  kill "$launcher" 2>/dev/null
  ls 0/pat 1/pat | sed -n 's/.*\.[0-9]*\.\([0-9]*\)\.sock$/\1/p' | xargs -r kill -KILL 2>/dev/null
  wait "$launcher" 2>/dev/null
  launcher='' output=output
  rm -f 0/pat/* 1/pat/*
}
# named SECONDS PATTERN WHAT: the output has such a line by then.
named() {
  local ends=$((SECONDS + $1))
  until grep -Eq "$2" "$output"; do
    [ $SECONDS -lt $ends ] || { complain "$3 (no line matches '$2')"; return; }
    sleep 0.1
  done
}

# Rank 2 is alone there, and computes for longer than foretold.
start 3 0 8000
named 60 'rank 0 has waited [0-9.]+ s in PAT_Gather: rank 2 is [0-9.]+ s later than foretold .*it computes solve for .*, and left PAT_Gather [0-9.]+ s ago, on ' \
  'who is late alone'
stop

# It is stopped.
start 3 0
for _ in {1..300}; do [ -n "$(ls 1/pat 2>/dev/null | grep 'sock$')" ] && break; sleep 0.1; done
sleep 2
grep -q 'pat critical' "$output" && complain 'somebody healthy is named'
stopped=$(basename "$(ls 1/pat/*.2.*.sock)" | cut -d. -f3)
kill -STOP "$stopped"
named 40 'rank 0 has waited [0-9.]+ s in PAT_Gather: rank 2 on another machine does not answer, it may be stopped or get no processor$' \
  'who is stopped alone'
kill -CONT "$stopped"
stop

# One machine is in one collective, the other in another.
"$run_ranks" 10 3 ./on_machine "$late_rank" different auto 0 >"$output" 2>&1
named 0 'ranks 0 and 1 are in PAT_Allreduce, rank 2 is in PAT_Barrier: all ranks of a communicator' 'different collectives'
rm -f 0/pat/* 1/pat/*

# Without a daemon nobody is asked, and nobody is named.
PAT_DAEMON=off start 3 0 4000
for _ in {1..300}; do [ -n "$(ls 1/pat 2>/dev/null | grep 'sock$')" ] && break; sleep 0.1; done
sleep 8
grep -q 'pat critical' "$output" && complain 'somebody is named without a daemon'
stop

exit $failed
