#!/bin/bash
# session_order.sh SOURCES: fails when a part of libpat/session uses one that does not stand below it
# (docs/architecture.md), by an include in its header or source, or by a declaration of its own of the
# other's class; and when docs/architecture.md has the parts in another order.
set -u
cd "$1" || exit 1

# From the bottom up; a part may use those before it.
order=(locked session_clock regions
  forced
  watchdog circumstances
  settled tally stream twin twin_tally departure twins
  control elsewhere negotiation
  rest
  recent_calls sites records
  call following
  runs
  calls
  requests
  rounds
  background
  session
  passed_on waits_in snapshot measurement finalize_hook)
declare -A place
for i in "${!order[@]}"; do place[${order[i]}]=$i; done

# The parts whose headers a file includes, and those whose classes it declares.
used_by() {
  sed -nE 's|^ *# *include *"libpat/session/([a-z_]+)\.hpp".*|\1|p' "$1"
  local class
  for class in $(sed -nE 's/^(class|struct) ([A-Za-z]+);.*/\2/p' "$1"); do
    grep -lE "^(class|struct) $class( |\$)[^;]*\$" "$(dirname "$1")"/*.hpp | xargs -r -n 1 basename -s .hpp
  done
}

breaks() { # breaks FOLDER: what is wrong in it, a line each
  local file part used
  for part in "${order[@]}"; do
    [[ -e $1/$part.hpp ]] || echo "there is no $1/$part.hpp, which has a place in the order"
  done
  for file in "$1"/*.[ch]pp; do
    part=$(basename "${file%.*}")
    [[ -v place[$part] ]] || { echo "$file has no place in the order of tests/unit/session_order.sh"; continue; }
    for used in $(used_by "$file" | sort -u); do
      [[ -v place[$used] ]] || continue # said of its own file
      ((place[$used] <= place[$part])) || echo "$file uses $used, which stands above it: $part $used"
    done
  done
}

status=0
found=$(breaks libpat/session)
count=$(grep -c . <<<"$found")
[[ -z $found ]] || { echo "$found"; status=1; }

# The table of the parts, "| `Regions` | ...", says the same.
last=-1
parts=$(sed -n '/^`Session` (`session\/session.hpp`) owns/,/^The report/p' docs/architecture.md |
  sed -nE 's/^\| `([A-Z][A-Za-z]*)` \|.*/\1/p')
[[ $(wc -l <<<"$parts") -ge 10 ]] || { echo "the table of the parts was not found in docs/architecture.md"; status=1; }
for class in $parts; do
  part=$(sed -E 's/(.)([A-Z])/\1_\2/g; s/.*/\L&/' <<<"$class")
  [[ -v place[$part] ]] || { echo "docs/architecture.md has a part $class, which has no place in the order"; status=1; continue; }
  ((place[$part] > last)) || { echo "docs/architecture.md has $class too late"; status=1; }
  last=${place[$part]}
done

# It must be able to fail.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
bites() { # bites FILE LINE: with this line in this file there is a break more
  cp libpat/session/*.[ch]pp "$copy"
  echo "$2" >>"$copy/$1"
  [[ $(breaks "$copy" | grep -c .) -gt $count ]] || { echo "the check does not find in $1: $2"; status=1; }
  rm "$copy"/*
}
bites regions.hpp '#include "libpat/session/rounds.hpp"'
bites twins.cpp '#include "libpat/session/session.hpp"'
bites control.hpp 'class Session;'
bites new_part.hpp ''
exit $status
