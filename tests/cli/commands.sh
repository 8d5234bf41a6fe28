#!/usr/bin/env bash
# commands.sh PAGE RUN_RANKS BIN: the short commands of docs/commands.md run as they stand there.
set -u
page=$1 run_ranks=$2
export PATH=$3:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$(dirname "$page")/../bench" "$folder/bench"
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
done < <(sed -n '/^## In seconds/,/^## In minutes/s/^    //p' "$page")

[ $commands -ge 9 ] || failures=$((failures + 1))
[ $failures -eq 0 ] && echo "$commands commands run"
exit $((failures > 0))
