#!/bin/bash
# joins.sh SOURCES: fails where pieces are put together by hand: core/text.hpp does that.
set -u
cd "$1" || exit 1
rooms=(core predictors collectives analysis libpat measure apps tools languages bench)
[[ -f core/text.hpp ]] || { echo "core/text.hpp is not there"; exit 1; }
by_hand='\? *"" *: *"[,;] *"\)|\? *"[,;] *" *: *"'
if grep -rnE "$by_hand" --include='*.[ch]pp' "${rooms[@]}" | grep -v '^core/text\.'; then
  echo "use join(), listed() or counted() of core/text.hpp"
  exit 1
fi
