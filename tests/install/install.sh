#!/bin/bash
# install.sh CMAKE BUILD INSTALLED: installs all of the build into an empty folder, which is then moved: it
# may lie anywhere.
set -eu
cmake=$1 build=$2 installed=$3
rm -rf "$installed" "$installed.before"
DESTDIR='' "$cmake" --install "$build" --prefix "$installed.before" >"$build/installed.log" ||
  { tail -n 5 "$build/installed.log"; echo "FAILED: build everything first: cmake --build $build"; exit 1; }
mv "$installed.before" "$installed"
