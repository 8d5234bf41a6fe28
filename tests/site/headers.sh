#!/usr/bin/env bash
# headers.sh INSTALLED SITE: each header that is installed is on the site.
set -u
installed=$1 site=$2
command -v sphinx-build >/dev/null || exit 77
include=$(dirname "$(dirname "$(find "$installed" -path '*/include/pat/pat.h')")")
failures=0 headers=0
while IFS= read -r header; do
  headers=$((headers + 1))
  case $header in
    pat/cxx/*) page=reference/cxx/${header#pat/cxx/}.html name=${header#pat/cxx/} ;;
    *.h) page=reference/${header#pat/}.html name=${header#pat/} ;;
    *) page=reference/cpp.html name=$header ;;
  esac
  grep -qF "$name" "$site/$page" && continue
  echo "FAILED: the site lacks $header, docs/site/stage.py puts headers there"
  failures=$((failures + 1))
done < <(cd "$include" && find . -name '*.h' -o -name '*.hpp' | sed 's|^./||')
[ "$headers" -ge 100 ] || { echo "FAILED: $headers headers are too few to be those of PAT"; failures=1; }
[ "$failures" = 0 ] && echo "$headers headers are on the site"
exit $((failures > 0))
