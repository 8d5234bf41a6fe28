#!/usr/bin/env bash
# site.sh SOURCE VERSION GENERATED FOLDER: the site is made without a warning, its links lead somewhere, and its search knows pages,
# headings and functions.
set -u
source=$1 version=$2 generated=$3 folder=$4
command -v sphinx-build >/dev/null || { echo "sphinx-build is missing, the site is not made: apt-get install python3-sphinx python3-myst-parser python3-sphinx-rtd-theme"; exit 77; }
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

"$source/docs/site/make.sh" "$source" "$version" "$generated" "$folder" || fail "the site is not made without a warning"
python3 "$source/tests/site/links.py" "$folder/html" || fail "links"
for known in 'docs/report' 'The C interface' 'PAT_Region_create' 'PAT_Gather_init_c' 'collectives/schedule.hpp' 'Scatter and gather'; do
  grep -q -F "$known" "$folder/html/searchindex.js" || fail "the search does not know '$known'"
done
# Every page is in the list at the side of every other.
for page in "$source"/docs/*.md; do
  grep -q "docs/$(basename "$page" .md).html" "$folder/html/README.html" || fail "the list of pages lacks $page"
done
[ "$failures" = 0 ] && echo "all well"
exit $((failures > 0))
