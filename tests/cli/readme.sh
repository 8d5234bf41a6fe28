#!/usr/bin/env bash
# readme.sh README RUN_RANKS BIN: the short commands of the README run as they stand there.
set -u
readme=$1 run_ranks=$2
export PATH=$3:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$(dirname "$readme")/bench" "$folder/bench"
cd "$folder" || exit 1
failures=0 commands=0

while IFS= read -r command; do
  command=${command%% #*}
  command=${command/#mpirun -n /$run_ranks 150 }
  commands=$((commands + 1))
  if ! bash -c "$command" >out 2>err </dev/null || { [ ! -s out ] && [ ! -d frames ]; }; then
    echo "FAILED: $command: $(tail -n 3 err)"
    failures=$((failures + 1))
  fi
done < <(sed -n '/^## The commands/,/These take longer/s/^    //p' "$readme")

[ $commands -ge 9 ] || failures=$((failures + 1))
[ $failures -eq 0 ] && echo "$commands commands run"
exit $((failures > 0))
