#!/bin/sh
# no_operation_by_name.sh ROOT: fails when code below ROOT asks which operation it has before it by
# name, in a comparison or a case label; its row says what there is to know. The operations' own
# files may, and so may applications and tests.
root=$1
one='(pat::)*Operation::[a-z_]+'
names=$(basename -s .cpp "$root"/collectives/operations/*.cpp | paste -sd '|')
quoted="\"($names)\""
asked="case +$one|[!=]= *$one|$one *[!=]=|[!=]= *$quoted|$quoted *[!=]="

bites() { printf '%s\n' "$1" | grep -qE "$asked"; }
for line in 'case Operation::gather:' 'if (a == pat::Operation::x)' 'b = Operation::a != b' \
  'return c !=Operation::gather' 'if (text == "gather")'; do
  bites "$line" || { echo "the check does not find: $line"; exit 1; }
done
for line in '{Operation::gather, f}' '{"gather", 1}' '.operation = Operation::gather,' 'f(Operation::a, b == c)'; do
  bites "$line" && { echo "the check finds: $line"; exit 1; }
done

cd "$root" || exit 1
files=$(find core predictors collectives libpat analysis measure languages tools bench -name '*.[ch]pp' \
  ! -path 'collectives/operations/*' ! -path 'libpat/operations/*')
[ -n "$files" ] || { echo "no source was found in $root"; exit 1; }
# What `pat bench --sync` is called is no operation.
if found=$(grep -nE "$asked" $files | grep -v 'options_\.sync == "barrier"'); then
  echo "these ask for an operation by name; ask its row (collectives/operation_row.hpp):"
  echo "$found"
  exit 1
fi
