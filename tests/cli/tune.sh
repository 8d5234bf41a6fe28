#!/usr/bin/env bash
# tune.sh RUN_RANKS PAT: pat tune writes rules that the MPI library takes, and a rule decides what is run.
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
  [ -z "$(find . -name 'pat-rules*')" ] || fail "$* leaves a file"
}
ranks() { "$run_ranks" 200 "$@"; }
tune() { ranks 3 "$pat" tune --quiet --base 1ms --pattern uniform:2ms -n 5 --max-lateness 10s "$@"; }
if "${PAT_TEST_MPIRUN:-mpirun}" --version 2>&1 | grep -q 'Open MPI'; then
  library=openmpi file=rules.conf
else
  library=mpich file=rules.json
fi
# settings FILE: by which the library follows these rules.
settings() {
  if [ $library = openmpi ]; then
    echo "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$1"
  else
    echo "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$1 MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=$1.ch4"
  fi
}
# with FILE RANKS COMMAND...: the library with the rules.
with() (
  # shellcheck disable=SC2046
  export $(settings "$1")
  ranks "${@:2}"
)
# own FILE RANKS OP SIZE [OPTION...]: the library's own operation with the rules, its results checked.
own() { with "$folder/$1" "$2" "$pat" bench --op "$3" --alg mpi --size "$4" --base 1ms -n 2 --quiet "${@:5}" >out 2>err; }

refuses 2 'needs two processes' ranks 1 "$pat" tune
refuses 2 "there are no rules for 'scan', choose from allgather" tune --op scan
refuses 2 'not a size' tune --sizes 4x
refuses 2 "There is no pattern 'often'" ranks 3 "$pat" tune --pattern often
refuses 1 'none.trace' ranks 3 "$pat" tune --trace none.trace
refuses 1 '/none/' tune -o /none/rules.conf

# Whatever is faster here: a table, a file in the library's form, and the library goes on with it.
tune --op bcast,reduce,allreduce,allgather,gather,scatter,alltoall,barrier,reduce-scatter --sizes 4k,64k \
  -o $file >out 2>err || fail "pat tune: $(cat out err)"
[ "$(grep -cE '(written|left: .*)$' out)" -eq 17 ] || fail "the table is $(cat out)"
grep -q "export $(settings "$folder/$file")$" out || fail "the remedy: $(tail -1 out)"
if [ $library = openmpi ]; then
  sed 's/#.*//' $file | grep -q '[^0-9 ]' && fail "the file is $(cat $file)"
else
  for one in $file $file.ch4; do
    jq -e 'has("collective=bcast") and has("collective=exscan")' "$one" >/dev/null || fail "$one is $(cat "$one")"
  done
fi
for processes in 2 3 4; do
  own $file $processes bcast 64k || fail "a program of $processes processes with the rules: $(cat out err)"
done

# Where every algorithm may win there is a rule; those of reduce keep the order of the processes. (Open MPI's rabenseifner
# does, too: it leaves operators that do not commute to another. MPICH's rules ask the operator.)
tune --op bcast,reduce --sizes 256k --gain 1 -o all.conf >out 2>err || fail "pat tune --gain 1: $(cat out err)"
[ $library = mpich ] || ! grep -qE '^reduce .*(chain|pipeline|binomial)' out || fail "an order is lost: $(cat out)"
cp out all.txt
own all.conf 3 reduce 256k --dtype int --reduce-op user-ordered ||
  fail "an operator that does not commute: $(cat out err)"

# The calls of a trace are measured in place of --op and --sizes.
{
  printf '# pat-trace 1\n# P: 3\n# iterations: 2\n# unit: s\n# region: allreduce, 65536 bytes\n# block: arrival\n'
  printf '0.001 0.002 0.003\n0.003 0.002 0.001\n'
} >calls.trace
ranks 3 "$pat" tune --quiet --base 1ms -n 5 --trace calls.trace -o trace.conf >out 2>err || fail "a trace: $(cat out err)"
[ "$(grep -cE '^allreduce +64 KiB' out)" -eq 1 ] && [ "$(grep -cE '(written|left: .*)$' out)" -eq 1 ] ||
  fail "the calls of a trace: $(cat out)"

# A rule is what is run, where it holds and nowhere else: an allgather for two processes is none for three, and Open
# MPI says so; one for a power of two is none for three, and MPICH says so.
if [ $library = openmpi ]; then
  printf '1\n0\n3\n0 1\n0 0 0 0\n3 2\n0 0 0 0\n46341 6 0 0 # a rule\n4 1\n0 0 0 0\n' >two.conf
else
  sed 's/Allgather_intra_ring/Allgather_intra_recursive_doubling/' $file >two.conf
  cp $file.ch4 two.conf.ch4
fi
own two.conf 3 allgather 4k || fail "below the rule: $(cat out err)"
own two.conf 4 allgather 1M || fail "more processes than the rule is for: $(cat out err)"
own two.conf 3 allgather 1M && fail "the rule is not obeyed: $(cat out err)"

# MPICH's device keeps some operations to itself: those that have a rule it hands on. What has no rule stays with it.
if [ $library = mpich ]; then
  for op in bcast reduce; do
    jq '.["collective='$op'"]["comm_type=intra"] |= (if has("comm_size<=3") then
          .["comm_size<=3"]["comm_hierarchy=parent"] = {"algorithm=MPIR_Barrier_intra_dissemination": {}} else . end)' \
      all.conf >wrong.conf
    cp all.conf.ch4 wrong.conf.ch4
    own wrong.conf 2 $op 256k || fail "$op: fewer processes than the rule is for: $(cat out err)"
    own wrong.conf 3 $op 256k
    code=$?
    if grep -qE "^$op .*written$" all.txt; then
      [ $code -ne 0 ] || fail "the rule for $op is not obeyed: $(cat out err)"
    else
      [ $code -eq 0 ] || fail "$op without a rule: $(cat out err)"
    fi
  done
fi

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
