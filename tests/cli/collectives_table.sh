#!/bin/bash
# collectives_table.sh DISTANCES PAGE: the table of every algorithm in docs/collectives.md is what the
# program prints.
set -u
said=$("$1") || exit 1
[ "$(wc -l <<<"$said")" -gt 50 ] || { echo "FAILED: $1 prints no table" >&2; exit 1; }
there=$(sed -n '/^| operation | algorithm |/,/^$/p' "$2" | sed '/^$/d')
diff <(echo "$there") <(echo "$said") >&2 || {
  echo "FAILED: the table of $2 is another one, put there what $1 prints" >&2
  exit 1
}
echo "all good"
