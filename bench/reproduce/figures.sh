# shellcheck shell=sh
# Sourced by the scripts beside it that take BUILD [OUT]: checks them and sets here, build and out.
# The first comment of the script is its usage.
case ${1-} in
  '' | -*)
    sed -n '2,/^set/s/^# //p' "$0" >&2
    exit 2
    ;;
esac
[ -x "$1/bin/pat" ] || { echo "$(basename "$0"): $1/bin/pat is missing, build it first" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$1
out=${2:-$here/../../docs/figures}
mkdir -p "$out"
