#!/usr/bin/env bash
# tune.sh RUN_RANKS PAT: pat tune writes rules that Open MPI takes, and a rule decides what is run.
set -u
run_ranks=$1 pat=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# refuses CODE SENTENCE COMMAND...: with one sentence, and no file.
refuses() {
  local code=$1 sentence=$2
  shift 2
  "$@" >out 2>err
  [ $? -eq "$code" ] || fail "$* does not end with $code"
  grep -q -- "$sentence" err || fail "$* says $(cat err)"
  [ -e pat-rules.conf ] && fail "$* leaves a file" && rm -f pat-rules.conf
}
if ! "${PAT_TEST_MPIRUN:-mpirun}" --version 2>&1 | grep -q 'Open MPI'; then
  refuses 2 'rules are written for Open MPI alone, and this is .*; use a PAT that was built with Open MPI' \
    "$run_ranks" 60 2 "$pat" tune --quiet
  exit $((failures > 0))
fi
ranks() { "$run_ranks" 200 "$@"; }
tune() { ranks 3 "$pat" tune --quiet --base 1ms --pattern uniform:2ms -n 5 --max-lateness 10s "$@"; }
# with FILE RANKS COMMAND...: Open MPI with the rules.
with() {
  OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$1 ranks "${@:2}"
}

refuses 2 'needs two processes' ranks 1 "$pat" tune
refuses 2 "there are no rules for 'scan', choose from allgather" tune --op scan
refuses 2 'not a size' tune --sizes 4x
refuses 2 "There is no pattern 'often'" ranks 3 "$pat" tune --pattern often
refuses 1 'none.trace' ranks 3 "$pat" tune --trace none.trace
refuses 1 '/none/' tune -o /none/rules.conf

# Whatever is faster here: a table, a file that names each operation at most once, and Open MPI goes on with it.
tune --op bcast,reduce,allreduce,allgather,gather,scatter,alltoall,barrier,reduce-scatter --sizes 4k,64k \
  -o rules.conf >out 2>err || fail "pat tune: $(cat out err)"
[ "$(grep -cE '(written|left: .*)$' out)" -eq 17 ] || fail "the table is $(cat out)"
grep -q "export OMPI_MCA_coll_tuned_use_dynamic_rules=1 .*=$folder/rules.conf$" out || fail "the remedy: $(tail -1 out)"
sed 's/#.*//' rules.conf | grep -q '[^0-9 ]' && fail "the file is $(cat rules.conf)"
with "$folder/rules.conf" 3 "$pat" bench --op bcast --alg mpi --size 64k --base 1ms -n 2 --quiet >out 2>err ||
  fail "a program with the rules: $(cat out err)"

# Where every algorithm may win there is a rule; those of reduce keep the order of the processes. (Open MPI's rabenseifner
# does, too: it leaves operators that do not commute to another.)
tune --op bcast,reduce --sizes 256k --gain 1 -o all.conf >out 2>err || fail "pat tune --gain 1: $(cat out err)"
grep -qE '^reduce .*(chain|pipeline|binomial)' out && fail "an order is lost: $(cat out)"

# The calls of a trace are measured in place of --op and --sizes.
{
  printf '# pat-trace 1\n# P: 3\n# iterations: 2\n# unit: s\n# region: allreduce, 65536 bytes\n# block: arrival\n'
  printf '0.001 0.002 0.003\n0.003 0.002 0.001\n'
} >calls.trace
ranks 3 "$pat" tune --quiet --base 1ms -n 5 --trace calls.trace -o trace.conf >out 2>err || fail "a trace: $(cat out err)"
[ "$(grep -cE '^allreduce +64 KiB' out)" -eq 1 ] && [ "$(grep -cE '(written|left: .*)$' out)" -eq 1 ] ||
  fail "the calls of a trace: $(cat out)"

# A rule is what is run, where it holds and nowhere else: an allgather for two processes is none for three, and Open
# MPI says so.
printf '1\n0\n3\n0 1\n0 0 0 0\n3 2\n0 0 0 0\n46341 6 0 0 # a rule\n4 1\n0 0 0 0\n' >two.conf
allgather() { with "$folder/two.conf" "$1" "$pat" bench --op allgather --alg mpi --size "$2" --base 1ms -n 2 --quiet; }
allgather 3 4k >out 2>err || fail "below the rule: $(cat out err)"
allgather 4 64k >out 2>err || fail "more processes than the rule is for: $(cat out err)"
allgather 3 64k >out 2>err && fail "the rule is not obeyed: $(cat out err)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
