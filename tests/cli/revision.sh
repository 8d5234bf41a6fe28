#!/bin/bash
# revision.sh CMAKE SCRIPT: what the build writes of the git revision, in a repository made for it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1: $(cat "$work/revision.hpp")" >&2; exit 1; }
look_up() { "$1" -DSOURCE="$work/tree" -DHEADER="$work/revision.hpp" -P "$2"; }
says() { [[ $(<"$work/revision.hpp") == "#define PAT_REVISION \"$1\"" ]]; }
commit() { git -C "$work/tree" -c user.name=test -c user.email=test@test commit -qam "$1"; }

mkdir "$work/tree"
export GIT_CEILING_DIRECTORIES=$work
look_up "$@"
says unknown || fail "outside a repository"

git -C "$work/tree" init -q
echo 1 >"$work/tree/file"
git -C "$work/tree" add file
commit one
look_up "$@"
says "$(git -C "$work/tree" rev-parse --short HEAD)" || fail "a clean tree"

touch -d yesterday "$work/revision.hpp"
before=$(stat -c %Y "$work/revision.hpp")
look_up "$@"
[[ $(stat -c %Y "$work/revision.hpp") == "$before" ]] || fail "written again without a change"

echo 2 >"$work/tree/file"
look_up "$@"
says "$(git -C "$work/tree" rev-parse --short HEAD)-dirty" || fail "a changed tree"
commit two
look_up "$@"
says "$(git -C "$work/tree" rev-parse --short HEAD)" || fail "the next commit"
echo ok
