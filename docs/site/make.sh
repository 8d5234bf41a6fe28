#!/usr/bin/env bash
# make.sh SOURCE VERSION FOLDER: the site, FOLDER/html/README.html. A warning is an error: a link that leads nowhere, a page
# that no list has.
set -eu
source=$1 version=$2 folder=$3
site=$source/docs/site
python3 -B "$site/stage.py" "$source" "$folder/pages"
sphinx-build -q -W --keep-going -j 2 -b html -c "$site" -d "$folder/trees" -D "version=$version" "$folder/pages" "$folder/html"
