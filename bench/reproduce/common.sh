# Sourced by the scripts beside it: the emulated cluster, one measurement, tables from its results.
# shellcheck shell=bash

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${PAT_BIN:-$here/../../build/release/bin}
if [[ ! -x $bin/pat && -z ${PAT_BIN:-} ]] && found=$(command -v pat); then bin=$(dirname "$found"); fi
out=${PAT_REPRODUCE_OUT:-$here/../../build/reproduce}
export PAT_CLUSTER_NAME=reproduce
export PATH="$bin:$PATH"
mkdir -p "$out"

# shellcheck source=bench/reproduce/options.sh
. "$here/options.sh"

dilate=1 # how many times slower the links are, see pat-cluster up --dilate
run_options=(--realtime) # other load of the machine then hardly shows

# need_cluster NODES [OPTIONS of pat-cluster up...]
need_cluster() {
  [[ $show == no ]] || return 0
  pat-cluster down >/dev/null 2>&1 || true
  pat-cluster up --nodes "$1" --rate 1gbit "${@:2}"
  trap 'pat-cluster down >/dev/null' EXIT
}

# without_cluster RANKS COMMAND...: on this machine as it is.
without_cluster() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -np "$1" --oversubscribe --bind-to none \
    --mca mpi_yield_when_idle 1 "${@:2}"
}

# What builders of schedules are told: 941 Mbit/s of payload, in the time of the stretched links. Where told=no,
# PAT_Init measures as it does for any user: what messages cost, and up to which size they leave unasked.
told=yes
link_cost() { [[ $told == no ]] || awk -v dilate="$dilate" 'BEGIN { printf ";beta=%.3g", 8.5e-9 * dilate }'; }

# calibrate NAME OPTIONS of pat calibrate...: from here on schedules and auto go by what is measured
# now.
calibrate() {
  local costs=$out/$1
  shift
  settings=calibration=$costs
  link_cost() { :; } # what is calibrated holds
  [[ $show == yes ]] || pat-cluster run "${run_options[@]}" -- pat calibrate --quiet --messages 64:2M \
    "$@" -o "$costs" >/dev/null
}

# measure FILE OPTIONS...: edges at half of the computing phase, extrapolated, as in seed 001 Fig. 13.
measure() {
  local file=$1
  shift
  if [[ $show == yes ]]; then
    [[ -s $file ]] || { echo "$(basename "$0"): nothing measured yet: $file is missing" >&2 && exit 1; }
    return 0
  fi
  pat-cluster run "${run_options[@]}" -- pat bench --seed 1 --base "$base" -n "$iterations" \
    --warmup "$warmup" --config "predictor=edge$(link_cost)${settings:+;$settings}" --format json --samples -o "$file" "$@"
}

# add_components FILE OPTIONS...: to the results in FILE those of the MPI library's own call with Open MPI's
# event-driven and hierarchical components in place of its default, where it has them: mpi:adapt, mpi:han.
add_components() {
  local file=$1 component
  [[ $show == no ]] || return 0
  for component in adapt han; do
    ompi_info 2>/dev/null | grep -q "MCA coll: $component " || continue
    (
      export "OMPI_MCA_coll_${component}_priority=100"
      measure "$file.$component" --alg mpi --baseline '' "${@:2}"
    )
    jq --arg name "mpi:$component" --slurpfile more "$file.$component" \
      '.results += ($more[0].results | map(.algorithm = $name))' "$file" >"$file.both"
    mv "$file.both" "$file"
    rm "$file.$component"
  done
}

patterns() { # patterns KIND: DELAYS...: one option a delay, in ms
  local delay
  for delay in "${@:2}"; do echo "--pattern $1${delay}ms"; done
}

rows() { # rows FILE FIELD [UNIT]: one line an algorithm, one column a delay; times in ms, or as they are
  jq -r --arg field "$2" --arg unit "${3:-ms}" '
    def shown: if $unit == "ms" then . * 100000 | round / 100 else . * 1000 | round / 1000 end;
    ["algorithm"] + ([.results[].delay_s] | unique | map("\(. * 1e6 | round / 1000)ms")),
    (.results | group_by(.algorithm)[] | [.[0].algorithm] + (sort_by(.delay_s) | map(if .iterations > 0 then .[$field] | shown else "-" end)))
    | @tsv' "$1" | column -t
}

lines() { # lines FILE: of each way and pattern the median run time, ms; as they are meant for pivot
  jq -r '.results[] | "\(.algorithm) \(.pattern) \(.run_median_s * 1e4 | round / 10)"' "$1" |
    sed 's/single:-1:0ms/together/; s/single:-1:/last:/'
}

pivot() { # pivot CORNER: of lines "row column value", a table; both orders as they come
  awk -v corner="$1" '
    !($1 in rows) { rows[$1]; row[++n] = $1 }
    !($2 in columns) { columns[$2]; column[++m] = $2 }
    { value[$1, $2] = $3 }
    END {
      printf "%s", corner
      for (j = 1; j <= m; ++j) printf " %s", column[j]
      for (i = 1; i <= n; ++i) {
        printf "\n%s", row[i]
        for (j = 1; j <= m; ++j) printf " %s", (row[i], column[j]) in value ? value[row[i], column[j]] : "-"
      }
      printf "\n"
    }' | column -t
}

# simulated FILE MACHINE PROCESSES ALGORITHMS SIZE PATTERNS...: lines of pat-simgrid for allreduce.
simulated() {
  local file=$1 machine=$2 ranks=$3 algorithms=$4 size=$5
  shift 5
  [[ $show == no ]] || return 0
  [[ -x $bin/pat-simgrid ]] || refuse "$bin/pat-simgrid is missing, install libsimgrid-dev and build it"
  "$bin/pat-simgrid" --machine "$machine:$ranks" --op allreduce --alg "$algorithms" --size "$size" --background none \
    --no-simulate --keep-going "${@/#/--pattern=}" | grep -v '^machine,' >>"$file"
}

# generators sizes|grid: measured on this machine, quick or in full.
generators() {
  [[ $show == yes ]] || "$here/generators.sh" $([[ $full == no ]] || echo --full) --only "$1" "$bin/.." "$out"
}
