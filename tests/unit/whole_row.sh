#!/bin/sh
# whole_row.sh CXX SOURCE INCLUDE...: fails unless SOURCE, a row, compiles as it is and does not
# without any one of its fields.
cxx=$1
source=$2
shift 2
includes=
for folder in "$@"; do includes="$includes -I$folder"; done
compiles() { "$cxx" -std=c++20 -fsyntax-only $includes -x c++ - 2>"$errors"; }

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
compiles <"$source" || { echo "the whole row does not compile:"; cat "$errors"; exit 1; }
fields=$(sed -n 's/^ *\.\([a-z_]*\) = .*/\1/p' "$source")
[ -n "$fields" ] || { echo "no field was found in $source"; exit 1; }
status=0
for field in $fields; do
  if grep -v "^ *\.$field = " "$source" | compiles; then
    echo "a row without $field compiles"
    status=1
  elif ! grep -q "OperationRow" "$errors"; then
    echo "a row without $field does not compile for another reason:"
    cat "$errors"
    status=1
  fi
done
exit $status
