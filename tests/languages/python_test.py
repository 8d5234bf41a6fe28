"""pat in Python against mpi4py's own results: python_test.py, on any number of ranks."""

import array
import gc
import sys

import numpy as np
import pat

if "mpi4py.MPI" in sys.modules:
    sys.exit("importing pat started MPI")

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
N = 100
failures = 0


def expect(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED on rank {rank}: {what}", flush=True)


def refuses(words, function, *arguments, **named):
    """That a call raises pat.Error with these words."""
    try:
        function(*arguments, **named)
    except pat.Error as error:
        expect(words in str(error), f"'{error}' lacks '{words}'")
        return error
    expect(False, f"'{words}' is not refused")


def same(name, make, *arguments, on=comm, **named):
    """pat.name and on.name on equal buffers: make() gives (buffers, those that hold the result)."""
    ours, our_results = make()
    theirs, their_results = make()
    getattr(pat, name)(on, *ours, *arguments, **named)
    getattr(on, name)(*theirs, *arguments, **named)
    for a, b in zip(our_results, their_results):
        expect(np.array_equal(np.asarray(a), np.asarray(b)), f"{name} {arguments} {named}: {a} and {b}")


def each_operation(root):
    counts = [(r % 3) * 7 + 1 for r in range(ranks)]
    starts = [sum(counts[:r]) + r for r in range(ranks)]
    room = sum(counts) + ranks

    def gather(dtype):
        def make():
            whole = np.zeros((ranks, N), dtype) if rank == root else None
            return (np.arange(N).astype(dtype) + rank, whole), [whole] if rank == root else []
        return make

    for dtype in ("i4", "f8", "c16", "u1", "i8", "f4"):
        same("Gather", gather(dtype), root)

    def gather_in_place():
        whole = np.full((ranks, N), rank, "i4")
        return ((MPI.IN_PLACE, whole) if rank == root else (whole[0], None)), [whole] if rank == root else []
    same("Gather", gather_in_place, root=root)

    def gatherv():
        whole = np.full(room, -1, "f8")
        return (np.full(counts[rank], rank, "f8"), [whole, (counts, starts)] if rank == root else None), [whole]
    same("Gatherv", gatherv, root)

    def gatherv_even():
        whole = np.full(ranks * N, -1, "f8")
        return (np.full(N, rank, "f8"), whole if rank == root else None), [whole]
    same("Gatherv", gatherv_even, root)

    def scatter():
        mine = np.zeros(N, "i4")
        return (np.arange(N * ranks, dtype="i4") if rank == root else None, mine), [mine]
    same("Scatter", scatter, root)

    def scatterv():
        mine = np.full(counts[rank], -1, "i4")
        return ([np.arange(room, dtype="i4"), counts, starts, MPI.INT] if rank == root else None, mine), [mine]
    same("Scatterv", scatterv, root)

    def reduce():
        total = np.zeros(N) if rank == root else None
        return (np.arange(N) * (rank + 1.0), total), [total] if rank == root else []
    same("Reduce", reduce, op=MPI.MAX, root=root)
    same("Reduce", reduce, root=root)

    def reduce_in_place():
        mine = np.arange(N) * (rank + 1)
        return ((MPI.IN_PLACE, mine) if rank == root else (mine, None)), [mine] if rank == root else []
    same("Reduce", reduce_in_place, root=root)

    def bcast():
        mine = np.full(N, rank)
        return (mine,), [mine]
    same("Bcast", bcast, root)
    same("Bcast", lambda: (lambda mine: (([mine, 3, MPI.INT],), [mine]))(array.array("i", [rank] * 5)), root=root)

    def allgather():
        whole = np.zeros((ranks, N))
        return (np.full(N, rank + 0.5), whole), [whole]
    same("Allgather", allgather)

    def allgather_in_place():
        whole = np.full((ranks, N), -1)
        whole[rank] = rank
        return (MPI.IN_PLACE, whole), [whole]
    same("Allgather", allgather_in_place)

    def allgatherv():
        whole = np.full(room, -1)
        return (np.full(counts[rank], rank), [whole, counts, starts, MPI.LONG]), [whole]
    same("Allgatherv", allgatherv)

    between = [(r + rank) % 3 * 5 for r in range(ranks)]  # the same both ways
    begins = [sum(between[:r]) + r for r in range(ranks)]

    def alltoallv():
        whole = np.full(sum(between) + ranks, -1, "i4")
        return ([np.arange(whole.size, dtype="i4") + rank, between, begins, MPI.INT],
                [whole, (between, begins)]), [whole]
    same("Alltoallv", alltoallv)

    def alltoallw():
        whole = np.full(sum(between) + ranks, -1, "i4")
        places, kinds = [4 * begin for begin in begins], [MPI.INT] * ranks
        return ([np.arange(whole.size, dtype="i4") + rank, between, places, kinds],
                [whole, (between, places), kinds]), [whole]
    same("Alltoallw", alltoallw)

    def allreduce():
        total = np.zeros(N, "i8")
        return (np.arange(N) + rank, total), [total]
    same("Allreduce", allreduce, MPI.SUM)
    same("Allreduce", lambda: (lambda mine: ((MPI.IN_PLACE, mine), [mine]))(np.arange(N) * rank))

    def reduce_scatter_block():
        total = np.zeros(N, "i8")
        return (np.arange(N * ranks) * (rank + 1), total), [total]
    same("Reduce_scatter_block", reduce_scatter_block, MPI.SUM)

    def prefix():
        total = np.full(N, -1)  # rank 0 receives nothing from an exscan
        return (np.arange(N) * (rank + 1), total), [total]
    same("Scan", prefix, MPI.SUM)
    same("Exscan", prefix, MPI.SUM)
    pat.Barrier(comm)


def neighbours_of(topology):
    """(those it receives from, those it sends to)"""
    if isinstance(topology, MPI.Cartcomm):
        both = [other for d in range(topology.Get_dim()) for other in topology.Shift(d, 1)]
        return both, both
    if isinstance(topology, MPI.Graphcomm):
        both = topology.Get_neighbors(rank)
        return both, both
    return topology.Get_dist_neighbors()[:2]


def exchange_with_neighbours(topology):
    senders, receivers = neighbours_of(topology)

    def between(source, to):
        return 0 if MPI.PROC_NULL in (source, to) else (source + 2 * to) % 5 * 3

    def spread(counts):
        return [sum(counts[:k]) + k for k in range(len(counts))]

    def allgather():
        whole = np.full((len(senders), N), -1, "i4")
        return (np.arange(N, dtype="i4") + rank, whole), [whole]
    same("Neighbor_allgather", allgather, on=topology)

    taken = [between(other, other) for other in senders]

    def allgatherv():
        whole = np.full(sum(taken) + len(senders), -1, "i4")
        return (np.arange(between(rank, rank), dtype="i4") + rank, [whole, (taken, spread(taken))]), [whole]
    same("Neighbor_allgatherv", allgatherv, on=topology)

    def alltoall():
        whole = np.full((len(senders), N), -1, "i4")
        return (np.arange(N * len(receivers), dtype="i4") + rank, whole), [whole]
    same("Neighbor_alltoall", alltoall, on=topology)

    given = [between(rank, other) for other in receivers]
    taken_of_all = [between(other, rank) for other in senders]

    def alltoallv():
        whole = np.full(sum(taken_of_all) + len(senders), -1, "i4")
        return ([np.arange(sum(given) + len(given), dtype="i4") + rank, (given, spread(given))],
                [whole, (taken_of_all, spread(taken_of_all))]), [whole]
    same("Neighbor_alltoallv", alltoallv, on=topology)

    def alltoallw():
        whole = np.full(sum(taken_of_all) + len(senders), -1, "i4")
        data = np.arange(sum(given) + len(given), dtype="i4") + rank
        return ([data, given, [4 * at for at in spread(given)], [MPI.INT] * len(given)],
                [whole, taken_of_all, [4 * at for at in spread(taken_of_all)], [MPI.INT] * len(senders)]), [whole]
    same("Neighbor_alltoallw", alltoallw, on=topology)

    (data, ours), _ = alltoallv()
    (_, theirs), _ = alltoallv()
    topology.Neighbor_alltoallv(data, theirs)
    pat.Ineighbor_alltoallv(topology, data, ours).Wait()
    expect(np.array_equal(ours[0], theirs[0]), "Ineighbor_alltoallv")


def to_all_above():
    """Rank 0 receives from nobody and the last sends to nobody, which mpi4py leaves to a count of 0."""
    graph = comm.Create_dist_graph_adjacent(list(range(rank)), list(range(rank + 1, ranks)))
    whole = np.full((rank, N), -1, "i4")
    pat.Neighbor_allgather(graph, np.arange(N, dtype="i4") + rank, whole)
    expect(all((whole[r] == np.arange(N) + r).all() for r in range(rank)), "Neighbor_allgather without senders")
    to = np.repeat(np.arange(rank + 1, ranks, dtype="i4"), N) * ranks + rank
    pat.Neighbor_alltoall(graph, to, whole)
    expect(all((whole[r] == rank * ranks + r).all() for r in range(rank)), "Neighbor_alltoall without senders")
    graph.Free()


def neighbours():
    line = comm.Create_cart([ranks], [False])
    ring = comm.Create_cart([ranks], [True])
    one_way = comm.Create_dist_graph_adjacent([(rank - 1) % ranks, rank], [(rank + 1) % ranks, rank])
    topologies = [line, ring, one_way]
    if ranks > 1:
        topologies.append(comm.Create_graph([ranks - 1 + r for r in range(ranks)],
                                            list(range(1, ranks)) + [0] * (ranks - 1)))  # a star
    for algorithm in ("auto", "latest-last"):
        pat.use_algorithm("neighbor-allgather", algorithm)
        pat.use_algorithm("neighbor-alltoall", algorithm)
        for topology in topologies:
            exchange_with_neighbours(topology)
        to_all_above()
    two = np.zeros(2, "i4")
    refuses("has no topology", pat.Neighbor_allgather, comm, two, two)
    refuses("for each of the 2 neighbours", pat.Neighbor_allgatherv, ring, two[:1], [two, [1, 1, 1]])
    refuses("for 2 neighbours", pat.Neighbor_allgather, ring, two[:1], np.zeros(3, "i4"))
    for topology in topologies:
        topology.Free()


def kinds_of_buffers():
    ours = bytearray(b"%d" % (rank % 10) * 4)
    pat.Bcast(comm, ours)
    expect(ours == b"0000", "a bytearray")
    ours = array.array("d", [rank, 1])
    pat.Allreduce(comm, MPI.IN_PLACE, ours)
    expect(ours[1] == ranks, "an array.array")
    columns = MPI.DOUBLE.Create_vector(N, 1, 2).Commit()  # every second element
    wide = np.zeros(2 * N)
    wide[::2] = rank
    pat.Bcast(comm, [wide, 1, columns])
    expect(not wide.any() or rank != 0, "a datatype with gaps")
    expect(not wide[::2].any(), "a datatype with gaps")
    columns.Free()
    fortran_order = np.asfortranarray(np.full((3, 4), rank))
    pat.Bcast(comm, fortran_order)
    expect(not fortran_order.any(), "an array in Fortran's order")


def own_operator():
    def larger(a, b, _):
        a, b = np.frombuffer(a, "i4"), np.frombuffer(b, "i4")
        np.copyto(b, np.where(abs(a) > abs(b), a, b))
    op = MPI.Op.Create(larger, commute=False)
    mine = ((np.arange(N) * (rank + 3)) % 11 - 5).astype("i4")
    ours, theirs = np.zeros(N, "i4"), np.zeros(N, "i4")
    pat.Reduce(comm, mine, ours, op)
    comm.Reduce(mine, theirs, op)
    expect(np.array_equal(ours, theirs), "an operator in Python")
    op.Free()


def requests():
    whole = np.zeros((ranks, N))
    request = pat.Igather(comm, np.full(N, float(rank)), whole if rank == 0 else None)  # PAT alone has the buffer
    gc.collect()
    total = np.zeros(N)
    other = pat.Iallreduce(comm, np.ones(N), total)
    third = pat.Ibarrier(comm)
    pat.Request.Waitall([request, other])
    expect(not request and not other and third, "Waitall")
    if rank == 0:
        expect(all((whole[r] == r).all() for r in range(ranks)), "Igather")
    expect((total == ranks).all(), "Iallreduce")
    expect(pat.Request.Waitany([request, third]) == 1, "Waitany")
    expect(pat.Request.Testany([request, third]) == (True, -1), "Testany")
    expect(pat.Request.Testall([request, third]), "Testall")
    expect(third.Test(), "Test of what has ended")
    refuses("has ended", third.Start)

    mine = np.zeros(N)
    persistent = pat.Gather_init(comm, mine, whole if rank == 0 else None)
    persistent.Parts(2)
    for i in range(4):
        persistent.Start()
        expect(not persistent.Test(), "Test before Ready")
        mine[: N // 2] = rank + i
        persistent.Pready(0)
        mine[:] = rank + i
        persistent.Ready()
        persistent.Wait()
        if rank == 0:
            expect(all((whole[r] == r + i).all() for r in range(ranks)), "Gather_init")
    persistent.Free()
    refuses("is freed", persistent.Start)


def progress():
    half = comm.Split(rank % 2, rank)
    with pat.Region(half, "half of them") as region:
        region.use_predictor("sma:3")
        expect(region.forecast() is None, "a forecast out of nothing")
        for _ in range(4):
            with region.processing() as phase:
                phase.hint("work", rank)
                phase.edge(0.5)
                phase.progress(3, 4)
                with phase.pause():
                    pass
            pat.Allreduce(half, MPI.IN_PLACE, np.zeros(N))
        forecast = region.forecast()
        expect(forecast is not None and forecast.lower_s <= forecast.mean_s <= forecast.upper_s, "forecast")
        offsets, _ = region.pattern()
        expect(len(offsets) == half.Get_size(), "pattern")
        age = region.pattern_age()
        expect(age is None or age >= 0, "the age of a pattern")
        refuses("sma", region.use_predictor, "nonsense")
    half.Free()
    with pat.Region().processing() as phase:
        phase.edge(0.5)


def mistakes():
    data = np.zeros(N)
    refuses("root", pat.Bcast, comm, data, root=ranks)
    error = refuses("bsls", pat.use_algorithm, "gather", "nonsense")
    expect(MPI.Get_error_class(error.code) == MPI.ERR_ARG, "the code of an error")
    refuses("has no buffer", pat.Bcast, comm, "text")
    refuses("not contiguous", pat.Bcast, comm, np.zeros((N, 2))[:, 0])
    refuses("read-only", pat.Allreduce, comm, data, b"12345678")
    refuses("give the datatype", pat.Bcast, comm, np.zeros(3, [("a", "i4"), ("b", "f8")]))
    refuses("give equal ones", pat.Allreduce, comm, data, np.zeros(N + 1))
    refuses("larger buffer", pat.Bcast, comm, [data, N + 1])
    refuses("cannot be cut", pat.Allgather, comm, data, np.zeros(N * ranks + 1)) if ranks > 1 else None
    refuses("needs it", pat.Allgather, comm, None, data)
    refuses("give one for each", pat.Allgatherv, comm, data, [data, [1] * (ranks + 1)])
    whole = np.zeros(ranks, "i4")
    refuses("datatype for each process", pat.Alltoallw, comm, whole, whole)
    refuses("datatypes, give one", pat.Alltoallw, comm, [whole, [MPI.INT] * (ranks + 1)], whole)
    refuses("give a larger buffer", pat.Alltoallw, comm, [whole, [1] * ranks, [4 * ranks] * ranks, [MPI.INT] * ranks], whole)
    refuses("communicator of mpi4py", pat.Barrier, 3)
    refuses("outside", pat.Region().processing().edge, 0.5)
    refuses("twice", pat.Session)


def is_complete():
    """Each collective of C is there in all its forms, with help."""
    from pat import _calls
    for name in _calls.signatures:
        for form in (name, "I" + name.lower(), name + "_init"):
            expect(getattr(pat, form).__doc__, f"{form} is not there")


refuses("nonsense", pat.Session, nonsense=1)
with pat.Session(comm, min_bytes=0):
    expect(pat.is_running(), "is_running")
    for root in sorted({0, ranks - 1}):
        each_operation(root)
    pat.use_algorithm("gather", "bsls")
    each_operation(0)
    neighbours()
    kinds_of_buffers()
    own_operator()
    requests()
    progress()
    mistakes()
    is_complete()
expect(not pat.is_running(), "the session has not ended")
sys.exit(1 if comm.allreduce(failures) else 0)
