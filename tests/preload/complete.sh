#!/bin/bash
# complete.sh NM PRELOAD: every collective that the MPI library has, in each of its forms, is one of the functions of
# the preloaded library.
set -u
nm=$1 preload=$2
library=$(ldd "$preload" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }')
[ -e "$library" ] || { echo "the preloaded library needs no MPI library: $(ldd "$preload")"; exit 1; }

names='allgatherv?|allreduce|alltoall[vw]?|barrier|bcast|exscan|gatherv?|reduce|reduce_scatter(_block)?|scan|scatterv?'
neighbours='neighbor_(allgatherv?|alltoall[vw]?)'
# Blocking, non-blocking and persistent, of MPI and of extensions, with large counts or not.
forms="^P?MPIX?_I?($names|$neighbours)(_init)?(_c)?$"
collectives() { "$nm" -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | grep -iE "$forms" | sort -u; }

count=$(collectives "$library" | wc -l)
[ "$count" -ge 88 ] || { echo "only $count collectives were found in $library"; exit 1; } # 22 of MPI 3, begun too, and by PMPI
missing=$(comm -23 <(collectives "$library") <(collectives "$preload"))
[ -z "$missing" ] || { echo "$library has what $preload lacks:" $missing; exit 1; }
echo "all $count collectives of $library are there"
