#!/bin/sh
# usual_operator_new.sh NM PROGRAM...: fails when a program has an operator new or delete of its own, which all of its
# libraries would use.
nm=$1
shift
status=0
for program in "$@"; do
  symbols=$("$nm" --defined-only "$program") || { echo "$program cannot be read"; exit 1; }
  [ -n "$symbols" ] || { echo "$program has no symbols to look at"; exit 1; }
  found=$(printf '%s\n' "$symbols" | grep -E ' [TWV] _Z(nw|na|dl|da)[mP]' | head -5)
  if [ -n "$found" ]; then
    echo "$program defines operator new or delete:"
    echo "$found"
    status=1
  fi
done
exit $status
