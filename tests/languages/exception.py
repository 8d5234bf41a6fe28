"""exception.py with|close|request: rank 1 raises while the others go on. For the test python_exception."""

import sys

import numpy as np
import pat
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
mine, everybodys = np.full(3000, rank), np.zeros(3000 * ranks, dtype=int)


def solve(session):
    pat.Gather(comm, mine, everybodys, root=0)
    if rank == 1:
        raise RuntimeError("the solver diverges")


if sys.argv[1] == "close":  # the others are in PAT_Finalize, rank 1 in MPI_Finalize
    session = pat.Session()
    solve(session)
    try:
        session.close()
    except pat.Error as error:
        print(f"rank {rank}: {error}", flush=True)
else:  # the others are in a collective
    with pat.Session() as session:
        if sys.argv[1] == "request":
            request = pat.Igather(comm, mine, everybodys, root=1)
        solve(session)
        pat.Gather(comm, mine, everybodys, root=1)
