#!/bin/bash
# complete.sh LIBPAT LIBPAT_FORTRAN MODULE INTERFACES: every function of the C interface is a procedure of
# module pat, and public.
set -u
libpat=$1 libpat_fortran=$2 module=$3 interfaces=$4
status=0
public=$(cat "$module" "$interfaces" | sed -n '/^ *public ::/,/[^&]$/p' | grep -oE 'PAT_[A-Za-z_]*' | sort -u)
for function in $(nm -D --defined-only "$libpat" | awk '$3 ~ /^PAT_/ { print $3 }' | grep -vxE 'PAT_Refuse|.*_c'); do
  grep -qx "$function" <<<"$public" || { echo "module pat lacks $function"; status=1; }
done
for function in $(grep -oE 'name="PAT_[A-Za-z_0-9]*"' "$interfaces" | cut -d'"' -f2); do
  nm -D --defined-only "$libpat_fortran" | grep -q " T $function\$" || { echo "nothing is behind $function"; status=1; }
done
exit $status
