#!/usr/bin/env bash
# make.sh SOURCE VERSION GENERATED FOLDER: the site, FOLDER/html/README.html. GENERATED has the headers that the
# build makes. A warning is an error: a link that leads nowhere, a page that no list has.
set -eu
source=$1 version=$2 generated=$3 folder=$4
site=$source/docs/site
python3 -B "$site/stage.py" "$source" "$generated" "$folder/pages"
sphinx-build -q -W --keep-going -j 2 -b html -c "$site" -d "$folder/trees" -D "version=$version" "$folder/pages" "$folder/html"
