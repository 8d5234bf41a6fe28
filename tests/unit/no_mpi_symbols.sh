#!/bin/sh
# no_mpi_symbols.sh NM ARCHIVE...: fails when an archive references an MPI symbol.
nm=$1
shift
status=0
for archive in "$@"; do
  symbols=$("$nm" "$archive") || { echo "$archive cannot be read"; exit 1; }
  found=$(printf '%s\n' "$symbols" | grep -E ' (P?MPI_|ompi_|MPIR_)[A-Za-z_]+$' | sort -u | head -5)
  if [ -n "$found" ]; then
    echo "$archive references MPI:"
    echo "$found"
    status=1
  fi
done
exit $status
