"""abort.py abort|raise: rank 0 ends the run after twenty gathers, while the others go on. For the test python_abort."""

import sys
import time

import numpy as np
import pat
from mpi4py import MPI

comm = MPI.COMM_WORLD
mine, everybodys = np.full(2000, comm.rank), np.zeros(2000 * comm.size, dtype=int)

with pat.Session() as session:
    for _ in range(20):
        pat.Gather(comm, mine, everybodys, root=0)
    time.sleep(2)  # what is kept aside is a second old at most
    if comm.rank == 0:
        if sys.argv[1] == "abort":
            comm.Abort(3)
        raise RuntimeError("the solver diverges")
    comm.Barrier()
