"""master_worker.c in Python.

    PAT_REPORT=stderr mpirun -n 4 python3 -m mpi4py master_worker.py
"""

import numpy as np
import pat
from mpi4py import MPI

NUMBERS, ROUNDS = 2000, 20
comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()


def lengths_of(numbers, phase):
    """How long the Collatz sequence of each number is."""
    left, lengths = numbers.copy(), np.zeros(len(numbers), "i4")
    while (running := left != 1).any():
        lengths += running
        left = np.where(running, np.where(left % 2, 3 * left + 1, left // 2), 1)
        if running.mean() > 0.5:
            phase.progress(1 - running.mean(), 1)  # so many have come to their end
    return lengths


with pat.Session(), pat.Region(comm, "block") as region:
    following, longest, most = 1, 1, 0
    first, lengths = np.zeros(1, "i8"), np.zeros(NUMBERS, "i4")
    firsts = np.zeros(ranks, "i8") if rank == 0 else None
    everything = np.zeros((ranks, NUMBERS), "i4") if rank == 0 else None
    for _ in range(ROUNDS):
        if rank == 0:  # has no numbers of its own: block r is worker r's
            firsts[1:] = following + NUMBERS * np.arange(ranks - 1)
            following += NUMBERS * (ranks - 1)
        pat.Scatter(comm, firsts, first)
        if rank > 0:
            with region.processing() as phase:
                phase.hint("first", first[0])  # later numbers have longer sequences
                lengths = lengths_of(first[0] + np.arange(NUMBERS), phase)
        pat.Gather(comm, lengths, everything)
        if rank == 0 and everything.max() > most:
            r, i = np.unravel_index(everything.argmax(), everything.shape)
            most, longest = everything[r, i], firsts[r] + i
    if rank == 0:
        print(f"of {following - 1} numbers {longest} has the longest sequence, {most} steps")
