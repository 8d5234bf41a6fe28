#!/bin/bash
# waiting.sh RUN_RANKS PAT PROGRAM: processes that do not load PAT while others wait for them are spoken of
# after 10 s.
set -u
pat=$2 program=$3
# shellcheck source=tests/preload/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  timeout 14 "${PAT_TEST_MPIRUN:-mpirun}" -np 1 "$pat" run -- "$program" finalize : -np 1 "$program" finalize >out 2>err
grep -q 'PAT has waited 10 s for other processes of this run that do not load it: start all of them' err ||
  fail "processes without PAT: $(cat err)"

[ $failures -eq 0 ] && echo "all good"
exit $((failures > 0))
