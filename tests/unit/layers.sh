#!/bin/bash
# layers.sh SOURCES: fails when a folder includes what it may not use (docs/architecture.md).
set -u
cd "$1" || exit 1
status=0

may_include() { # may_include FOLDER FOLDERS...: FOLDER includes itself and FOLDERS, and nothing else
  local folder=$1 allowed=${*// /|} found
  [[ -d $folder ]] || { echo "there is no folder $folder"; status=1; return; }
  # A file may be named in place of a folder.
  found=$(grep -rnE '^ *# *include *"' --include='*.[ch]pp' --include='*.[ch]' "$folder" |
    grep -vE "\"(${allowed// /|})[/\"]")
  [[ -z $found ]] || { echo "$folder may include only ${*}:"; echo "$found"; status=1; }
}

public=pat # libpat/include/pat
if grep -rnE '^ *# *include *<(core|predictors|collectives|analysis|measure|libpat|tools|bench)/' --include='*.[ch]pp' \
  core predictors collectives analysis libpat measure apps tools languages bench; then
  echo "our own headers stand between quotes, or this check does not see them"
  status=1
fi
may_include core
may_include predictors core
may_include collectives core
# Costs are production code, the checks are for tests and `pat schedule --verify`.
if grep -rn '"collectives/check/' --include='*.[ch]pp' collectives --exclude-dir=check | grep .; then
  echo "nothing in collectives may include its checks"
  status=1
fi
may_include analysis core predictors collectives
# The preloaded library injects patterns, which know no MPI.
may_include libpat core predictors collectives analysis measure/delays.hpp $public
may_include measure core predictors collectives $public
may_include apps core predictors collectives measure $public
may_include tools core predictors collectives analysis libpat measure $public
may_include languages core predictors collectives libpat $public
may_include bench core predictors collectives libpat measure $public

# The rooms of libpat.
rooms=(core predictors collectives)
room() { # room NAME ROOMS...: the room may include these, too
  local name=libpat/$1 others=("${@:2}")
  may_include "$name" "${rooms[@]}" "${others[@]/#/libpat/}"
}
room mpi
room agreement
room execution mpi
room session mpi agreement execution
room operations mpi execution session
may_include libpat/report "${rooms[@]}" analysis libpat/{report,mpi,session,agreement}
may_include libpat/api core libpat/{api,mpi,agreement,execution,session,operations,report} $public
may_include libpat/preload core collectives libpat measure/delays.hpp $public
may_include libpat/include $public
for folder in libpat/*/; do
  case $(basename "$folder") in
    mpi | agreement | execution | session | operations | report | api | preload | include) ;;
    *) echo "no rule says what $folder may include"; status=1 ;;
  esac
done
exit $status
