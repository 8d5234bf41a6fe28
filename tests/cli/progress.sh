#!/usr/bin/env bash
# progress.sh RUN_RANKS PAT PAT_FFT: who waits without a terminal sees whole lines now and then, on
# standard error, and nothing else is mixed into the output. All three runs sleep for 12 s.
set -u
run_ranks=$1 pat=$2 pat_fft=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

fft=("$pat_fft" --size 1024 --iterations 24 --algorithms mpi --imbalance straggler:500ms --threads 1 --json)
"$run_ranks" 60 2 "${fft[@]}" >fft.out 2>fft.err &
first=$!
"$run_ranks" 60 2 "${fft[@]}" --no-progress >silent.out 2>silent.err &
second=$!
"$run_ranks" 60 2 "$pat" bench --alg mpi --size 1k --base 250ms --warmup 0 -n 24 --max-lateness 10s --format csv \
  >bench.out 2>bench.err || fail "pat bench: $(cat bench.err)"
wait $first || fail "pat-fft: $(cat fft.err)"
wait $second || fail "pat-fft: $(cat silent.err)"

grep -qE '^pat-fft: [0-9]+ %, [0-9:]+ to go$' fft.err || fail "pat-fft is silent: $(cat fft.err)"
grep -qE '^pat bench: [0-9]+ %, [0-9:]+ to go$' bench.err || fail "pat bench is silent: $(cat bench.err)"
grep -q 'to go' silent.err && fail "--no-progress: $(cat silent.err)"
grep -q $'\r' fft.err bench.err fft.out bench.out && fail "a progress bar where there is no terminal"
jq -e .blocks fft.out >parsed || fail "no JSON: $(cat fft.out)"
[ "$(wc -l <bench.out)" -eq 2 ] || fail "no table of CSV: $(cat bench.out)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
