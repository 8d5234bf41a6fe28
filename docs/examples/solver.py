"""solver.c in Python.

    PAT_REPORT=stderr mpirun -n 4 python3 -m mpi4py solver.py 200
"""

import sys

import numpy as np
import pat
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
n = int(sys.argv[1]) if len(sys.argv) > 1 else 64
counts = [(n // ranks + (r < n % ranks)) * n for r in range(ranks)]
rows = counts[rank] // n
above = rank - 1 if rank > 0 else MPI.PROC_NULL
below = rank + 1 if rank < ranks - 1 else MPI.PROC_NULL


def sum_over_all(mine):
    total = np.array([mine], float)
    pat.Allreduce(comm, MPI.IN_PLACE, total)
    return total[0]


def multiply(region, p, q):
    """q = A p, and the part of p.q that belongs to this process."""
    with region.processing() as phase:
        with phase.pause():  # messages are no computing
            comm.Sendrecv(p[1], above, 0, p[rows + 1], below, 0)
            comm.Sendrecv(p[rows], below, 1, p[0], above, 1)
        q[:] = 4 * p[1:-1] - p[:-2] - p[2:]
        phase.edge(0.5)  # about half of it is done
        q[:, 1:] -= p[1:-1, :-1]
        q[:, :-1] -= p[1:-1, 1:]
        return np.vdot(p[1:-1], q)


with pat.Session(), pat.Region(comm, "matrix") as matrix, pat.Region(comm, "update") as update:
    x, q, p = np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((rows + 2, n))
    r = np.full((rows, n), 1 / (n + 1) ** 2)
    p[1:-1] = r
    first = rr = sum_over_all(np.vdot(r, r))
    iteration = 0
    while iteration < 10 * n and rr > 1e-16 * first:
        alpha = rr / sum_over_all(multiply(matrix, p, q))
        with update.processing():
            x += alpha * p[1:-1]
            r -= alpha * q
            mine = np.vdot(r, r)
        before, rr = rr, sum_over_all(mine)
        p[1:-1] = r + rr / before * p[1:-1]
        iteration += 1
    whole = np.zeros((n, n)) if rank == 0 else None
    pat.Gatherv(comm, x, [whole, counts] if rank == 0 else None)
    if rank == 0:
        print(f"{n} x {n} points: {iteration} iterations\nu = {whole[n // 2, n // 2]:.6f} in the middle")
