#!/bin/bash
# reproduce.sh SCRIPTS BIN: the commands of bench/reproduce that need no cluster.
set -u
scripts=$1 bin=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PAT_BIN=$bin PAT_REPRODUCE_OUT=$work/out
fail() { echo "FAILED: $1" >&2; tail -n 20 "$work/said" >&2; exit 1; }
says() { # says TEXT SCRIPT ARGUMENTS...: ends with 0 and prints TEXT
  timeout 300 "$scripts/$2" "${@:3}" >"$work/said" 2>&1 || fail "${*:2} ends with $?"
  grep -q -- "$1" "$work/said" || fail "${*:2} does not say '$1'"
  ! grep -qw null "$work/said" || fail "${*:2} prints null"
}

refuses() { # refuses TEXT SCRIPT ARGUMENTS...: ends with 2 and one line with TEXT
  "$scripts/$2" "${@:3}" >"$work/said" 2>&1
  [[ $? -eq 2 && $(wc -l <"$work/said") -eq 1 ]] || fail "${*:2} is no refusal in one line"
  grep -q -- "$1" "$work/said" || fail "${*:2} does not say '$1'"
}
refuses 'a table or figure is missing' seed000
refuses "there is no 'nothing'" seed004 nothing
refuses "'--iterations' is no option of fig7" seed000 fig7 --iterations 3
refuses '--op belongs to auto, not to table1' seed001 table1 --op gather
refuses "--op is 'nope', give gather or scatter" seed001 auto --op nope
refuses "--iterations is '0', give a whole number above 0" seed004 fig12 --iterations 0

refuses "there is no 'figure'" straggler figure
refuses "'--op' is no option of simgrid" proficz2018 simgrid --op reduce
says '^128 .* 1.89 .* 1.00 ' straggler formula

refuses "there is no 'nothing'" seed003 nothing
says '^picture: .*broadcast-models.png' seed003 figure
[[ -s $work/out/broadcast-models.png ]] || fail "the picture of seed 003"
# At powers of k and in the pipeline, lines and points are one.
awk -F';' '/^2;knomial/ || /MiB/ { if (($3 - $4)^2 > 1e-12 * $3^2) bad = 1; ++n } END { exit bad || n != 36 }' \
  "$work/out/broadcast-models-trees.csv" "$work/out/broadcast-models-segments.csv" || fail "formulas of seed 003"

says '^helsim-like: *P *64 *iterations *100 *least *1.* mean *1.* largest' seed004 fig3
[[ -s $work/out/seed004-fig3-helsim-like.png ]] || fail "the picture of Fig. 3"
mkdir "$work/bin"
printf '#!/bin/sh\necho "{}"\n' >"$work/bin/pat"
chmod +x "$work/bin/pat"
PAT_BIN=$work/bin "$scripts/seed004" fig3 >"$work/said" 2>&1 && fail "fig3 without numbers ends with 0"
grep -q 'no imbalance_factors' "$work/said" || fail "what fig3 lacks"

says '^16K  *0.8571  *0.6000  *0.2727  *0.1304  *0.0857  *0.0229  *0.74' seed004 fig6
[[ -s $work/out/reduce_absorption.png ]] || fail "the picture of Fig. 6"
says '^rabenseifner  *1.00  *1.00  *1.06' seed004 fig10
[[ -s $work/out/reduce_balanced.png ]] || fail "the picture of Fig. 10"
[[ ! -e $work/out/reduce_delay.csv ]] || fail "fig10 runs other studies"
# The form of the timing figures, from a short list of sizes: the numbers are the machine's.
"$bin/pat" bench-schedule --format csv --sizes 4,8 --repeats 1 >"$work/out/generators.csv"
"$bin/pat" bench-schedule --format csv --sizes 4,8 -N 16 --repeats 1 --generators fast >"$work/out/generators_grid.csv"
says '^8  *[0-9.]* *$' seed004 fig9 --show
says '^8  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]* *$' seed000 fig7 --show
says '^8  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]* *$' seed000 fig8 --show
says '^8  *[0-9.]*  *0.62  *[0-9.]*  *3.07  *[0-9.]*  *[0-9.]*  *[0-9.]*  *0.61  *[0-9.]*  *5.68' seed000 table1 --show
"$scripts/generators.sh" --only schedules "$bin/.." "$work/out" >"$work/said" 2>&1 || fail "generators.sh"
[[ -s $work/out/schedule_late.png && -s $work/out/schedule_radix_k.png ]] || fail "the pictures of schedules"

says '^paper  *13.88  *13.04  *12.94  *12.81' seed004 table5
awk '$1 == "here" { good = NF == 5 && $5 < $4 && $4 < $2 && $4 < $3 && $5 > 5 } END { exit !good }' "$work/said" ||
  fail "the sums of Table 5"

is_open_mpi() { "$1" --version 2>/dev/null | grep -q 'Open MPI'; }
launcher=${PAT_TEST_MPIRUN:-mpirun}
if is_open_mpi mpirun && is_open_mpi "$launcher"; then # which the scripts start ranks with
  says '^pat bench  *yes: run_mean_s  *yes: run_min_s  *yes: run_max_s  *yes: run_sd_s' seed004 table6
  says '^spectrum  *periodogram_s2' seed004 table6 --show
  jq 'del(.results[].run_max_s, .results[].levene)' "$work/out/seed004-table6.json" >"$work/less" &&
    mv "$work/less" "$work/out/seed004-table6.json"
  says '^pat bench  *yes: run_mean_s  *yes: run_min_s  *no  *yes' seed004 table6 --show
  says '^Levene test  *no' seed004 table6 --show
fi

# What would be measured on a cluster: pat-cluster leaves a small run's results in place of each measurement.
"$scripts/../../tests/mpi/run_ranks.sh" 60 3 "$bin/pat" bench --op reduce --alg bnom,rabenseifner,clairvoyant --baseline clairvoyant \
  --size 512k --absorption --knowledge oracle --pattern single:-1:0ms --pattern single:-1:5ms --base 2ms -n 6 --warmup 1 \
  --max-lateness 10s --quiet --format json --samples -o "$work/measured.json" >"$work/said" 2>&1 || fail "a run to show"
cat >"$work/bin/pat-cluster" <<'TEXT'
#!/bin/bash
echo "$*" >>"$ASKED"
while (($#)); do
  [[ $1 != -o ]] || cp "$MEASURED" "$2"
  shift
done
TEXT
chmod +x "$work/bin/pat-cluster"
ln -sf "$bin/pat" "$work/bin/pat"
export ASKED=$work/asked MEASURED=$work/measured.json
asked() { grep -o -- "--size [0-9a-zA-Z]*" "$ASKED" | sort -u | paste -sd' '; }
on_cluster() { # on_cluster TEXT SCRIPT ARGUMENTS...: as `says`, with that cluster
  : >"$ASKED"
  PAT_BIN=$work/bin says "$@"
}
rm -rf "$work/out"
on_cluster 'paper: clairvoyant is ahead' seed004 fig12
[[ $(asked) == '--size 4M --size 512k' ]] || fail "sizes of fig12: $(asked)"
grep -q '^reduce, 3 nodes, 512k, last process late' "$work/said" || fail "the heading of fig12"
on_cluster 'paper: clairvoyant is ahead' seed004 fig12 --full
[[ $(asked) == '--size 128k --size 2M --size 40M --size 4M --size 512k' ]] || fail "sizes of fig12 --full: $(asked)"
on_cluster '^clairvoyant  *-*[0-9]' seed004 fig13
on_cluster '^algorithm  *128k  *512k  *2M  *4M  *40M' seed004 table7
[[ ! -s $ASKED ]] || fail "fig13 and table7 measure"
[[ -s $work/out/seed004-fig12-40M.png && -s $work/out/seed004-fig13-128k.png ]] || fail "the pictures of figs. 12 and 13"
on_cluster '^ *4M .*128: .*best' seed004 table8
[[ $(asked) == '--size 128k --size 2M --size 4M --size 512k' ]] || fail "sizes of table8: $(asked)"
on_cluster '^ *40M .* 40: .* 80: .*best' seed004 table8 --full
on_cluster 'pictures (the paper' seed004 ring
on_cluster 'aim: the upper end' seed001 auto
grep -q 'uniform:100ms' "$ASKED" && ! grep -q 'uniform:500ms' "$ASKED" || fail "delays of auto: $(<"$ASKED")"
on_cluster 'aim: the upper end' seed001 auto --full
grep -q 'uniform:500ms' "$ASKED" || fail "delays of auto --full"

# What Open MPI is told to run is what the program names. With one process it runs none of its algorithms.
once() { # once OPERATION NUMBER NAME: the one of this number in Open MPI is named so
  env OMPI_MCA_coll_tuned_use_dynamic_rules=1 "OMPI_MCA_coll_tuned_$1_algorithm=$2" \
    "$scripts/../../tests/mpi/run_ranks.sh" 60 4 "$bin/pat-collective-once" "$1" 64,65536 1,3,4,8 >"$work/said" 2>&1
  [[ $(grep "^$1" "$work/said" | paste -sd, | tr -s ' ') == "$1 1 ? ?,$1 3 $3 $3,$1 4 $3 $3" ]] || fail "$1 number $2 as $3"
}
if ! is_open_mpi "$launcher"; then # of another library nobody sees what it runs
  once gather 1 '?'
  once scatter 1 '?'
  echo "ok, the rest needs Open MPI"
  exit 0
fi
once gather 1 lin
once gather 2 bnom
once gather 3 ls
once scatter 1 lin
once scatter 2 bnom
once scatter 3 lin
is_open_mpi mpirun || { echo "ok, the rest needs Open MPI's mpirun"; exit 0; }
says '^gather  *4  *[lb][a-z]*  *[lb][a-z]*  *[lb][a-z]*  *[lb][a-z]*  *[lb][a-z]*  *large ls; medium lin' seed001 table1 --nodes 4
printf '#!/bin/sh\necho "no slots here" >&2\nexit 7\n' >"$work/bin/mpirun"
chmod +x "$work/bin/mpirun"
PATH=$work/bin:$PATH "$scripts/seed001" table1 --nodes 4 >"$work/said" 2>&1
[[ $? == 1 ]] || fail "table1 without mpirun ends with another code than 1"
grep -q 'mpirun with 4 processes ended with 7' "$work/said" || fail "that mpirun failed"
grep -q 'no slots here' "$work/said" || fail "why mpirun failed"
echo ok
