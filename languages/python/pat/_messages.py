"""Buffers as mpi4py takes them, and what PAT's functions want of them."""

from __future__ import annotations

from array import array
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from ._error import Error
from ._request import Request

#: What a collective takes as a buffer: an object with a buffer, [object, count], [object, datatype],
#: [object, count, datatype], [object, counts, displacements, datatype], [object, (counts,
#: displacements), datatype], MPI.IN_PLACE, or None where this process has none. Where each block has a
#: datatype of its own, a sequence of them stands in its place, and displacements are in bytes.
Buffer = Any


class Message(NamedTuple):
    """One side of a call on this process."""

    address: int
    elements: int  #: in the whole buffer, or as the program gives them
    counts: Optional[Sequence[int]]
    displacements: Optional[Sequence[int]]
    datatype: Any
    keep: Any  #: what must live as long as the call
    given: bool = True
    datatypes: Optional[Sequence[Any]] = None  #: one a block


def _datatype_of(name: str, view: memoryview) -> Any:
    """The MPI datatype of a buffer's elements, by their format and size."""
    from mpi4py import MPI

    letter, size = view.format.lstrip("@=<"), view.itemsize
    for letters, by_size in (
        ("bhilqn", {1: MPI.INT8_T, 2: MPI.INT16_T, 4: MPI.INT32_T, 8: MPI.INT64_T}),
        ("BHILQN", {1: MPI.UINT8_T, 2: MPI.UINT16_T, 4: MPI.UINT32_T, 8: MPI.UINT64_T}),
        ("fd", {4: MPI.FLOAT, 8: MPI.DOUBLE}),
        ("g", {size: MPI.LONG_DOUBLE}),
        ("Zf", {8: MPI.C_FLOAT_COMPLEX}),
        ("Zd", {16: MPI.C_DOUBLE_COMPLEX}),
        ("?", {1: MPI.C_BOOL}),
        ("c", {1: MPI.CHAR}),
    ):
        if (letter == letters if letters[0] == "Z" else len(letter) == 1 and letter in letters) and size in by_size:
            return by_size[size]
    raise Error(f"{name} has elements of format '{view.format}', give the datatype: [buffer, datatype]")


def _view_of(name: str, thing: Any, written: bool) -> memoryview:
    try:
        view = memoryview(thing)
    except TypeError:
        raise Error(f"{name} is a {type(thing).__name__}, which has no buffer, give a NumPy array or another "
                    "object with a buffer") from None
    if not view.contiguous:
        raise Error(f"{name} is not contiguous, give a contiguous array or a copy")
    if written and view.readonly:
        raise Error(f"{name} is read-only, give an array that can be written")
    return view


class Blocks(int):
    """How many blocks a buffer has, and of whom."""

    of = "processes"


class NeighbourBlocks(Blocks):
    of = "neighbours"


def _integers(name: str, what: str, blocks: Blocks, values: Sequence[int], letter: str = "i") -> Sequence[int]:
    numbers = array(letter, [int(value) for value in values])
    if len(numbers) != blocks:
        raise Error(f"{name} has {len(numbers)} {what}, give one for each of the {blocks} {blocks.of}")
    return numbers


def _split(specification: Any) -> Tuple[Any, Any, Any, Any]:
    """(object, count or counts, displacements, datatype); None for what is left out."""
    from mpi4py import MPI

    if not isinstance(specification, (list, tuple)):
        return specification, None, None, None
    parts = list(specification)
    datatype = parts.pop() if len(parts) > 1 and isinstance(parts[-1], MPI.Datatype) else None
    thing = parts.pop(0) if parts else None
    if len(parts) == 1 and isinstance(parts[0], tuple) and len(parts[0]) == 2 and not isinstance(parts[0][0], int):
        parts = list(parts[0])  # (counts, displacements)
    if len(parts) > 2:
        raise Error("a buffer has too many parts, give [object, counts, displacements, datatype] at most")
    return thing, parts[0] if parts else None, parts[1] if len(parts) > 1 else None, datatype


def message_of(name: str, specification: Any, written: bool, blocks: Blocks) -> Message:
    """The message that a program describes. Raises pat.Error."""
    from mpi4py import MPI

    from . import _calls

    thing, counts, displacements, datatype = _split(specification)
    if thing is None:
        return Message(0, 0, None, None, MPI.BYTE, None, given=False)
    if thing is MPI.IN_PLACE:
        return Message(_calls.IN_PLACE, 0, None, None, datatype or MPI.BYTE, None, given=False)
    if counts is not None and not isinstance(counts, int):
        try:
            counts = _integers(name, "counts", blocks, counts)
        except TypeError:
            counts = int(counts)  # a number of NumPy
    if displacements is not None:
        displacements = _integers(name, "displacements", blocks, displacements)
    lengths = counts if counts is not None and not isinstance(counts, int) else None
    if thing is MPI.BOTTOM:
        if counts is None or datatype is None:
            raise Error(f"{name} is MPI.BOTTOM, give count and datatype: [MPI.BOTTOM, count, datatype]")
        return Message(0, counts if lengths is None else sum(lengths), lengths, displacements, datatype, None)
    view = _view_of(name, thing, written)
    if datatype is None:
        datatype = _datatype_of(name, view)
    extent = datatype.Get_extent()[1]
    room = view.nbytes // extent if extent > 0 else 0
    if counts is None:
        if extent <= 0 or view.nbytes % extent:
            raise Error(f"{name} has {view.nbytes} bytes, which is no whole number of elements of {extent} bytes, "
                        "give the count")
        elements = room
    elif lengths is None:
        elements = counts
    else:
        starts = displacements if displacements is not None else _starts(lengths)
        elements = max((start + length for start, length in zip(starts, lengths) if length > 0), default=0)
    if extent > 0 and (elements - 1) * extent + datatype.Get_true_extent()[1] > view.nbytes and elements > 0:
        raise Error(f"{name} has room for {room} elements and {elements} are asked for, give a larger buffer")
    return Message(_calls.address(view), elements, lengths, displacements, datatype, view)


def typed_message_of(name: str, specification: Any, written: bool, blocks: Blocks) -> Message:
    """The message of a buffer whose blocks have a datatype each. Raises pat.Error."""
    from mpi4py import MPI

    from . import _calls

    if specification is MPI.IN_PLACE:
        return Message(_calls.IN_PLACE, 0, [0] * blocks, [0] * blocks, None, None, False, [MPI.BYTE] * blocks)
    parts = list(specification) if isinstance(specification, (list, tuple)) else []
    if len(parts) == 3 and isinstance(parts[1], (list, tuple)) and len(parts[1]) == 2:
        parts[1:2] = list(parts[1])  # (counts, displacements)
    if len(parts) == 2:
        parts[1:1] = [[1] * blocks, [0] * blocks]
    if len(parts) != 4 or not all(isinstance(one, MPI.Datatype) for one in parts[3]):
        raise Error(f"{name} has no datatype for each process, give [object, counts, displacements, datatypes]")
    thing, datatypes = parts[0], list(parts[3])
    counts = _integers(name, "counts", blocks, parts[1])
    displacements = _integers(name, "displacements", blocks, parts[2], "q")
    if len(datatypes) != blocks:
        raise Error(f"{name} has {len(datatypes)} datatypes, give one for each of the {blocks} {blocks.of}")
    if thing is MPI.BOTTOM:
        return Message(0, 0, counts, displacements, None, None, datatypes=datatypes)
    view = _view_of(name, thing, written)
    for count, start, datatype in zip(counts, displacements, datatypes):
        if count > 0:
            lower, length = datatype.Get_true_extent()
            first = start + lower
            end = first + (count - 1) * datatype.Get_extent()[1] + length
            if first < 0 or end > view.nbytes:
                raise Error(f"{name} has {view.nbytes} bytes and a block from {first} to {end}, give a larger buffer")
    return Message(_calls.address(view), 0, counts, displacements, None, view, datatypes=datatypes)


def _starts(lengths: Sequence[int]) -> Sequence[int]:
    starts, at = array("i"), 0
    for length in lengths:
        starts.append(at)
        at += length
    return starts


def _even(elements: int, blocks: int) -> Sequence[int]:
    """As mpi4py cuts a buffer whose counts are not given: the first blocks have one more."""
    each, more = divmod(elements, blocks) if blocks else (0, 0)
    return array("i", [each + (block < more) for block in range(blocks)])


class _Side:
    """A buffer of the call, and whether this process has it and it holds a block of each rank or neighbour."""

    def __init__(self, name: str, specification: Any, side: Tuple[str, str], written: bool, rank: int,
                 blocks: Blocks, root: int, describe: Callable[[str, Any, bool, Blocks], Message] = message_of) -> None:
        at, holds = side
        self.all_blocks = holds != "block"
        self.has = {"everywhere": True, "root": rank == root, "others": rank != root, "after_first": rank > 0}.get(at, False)
        self.blocks = blocks
        if specification is None and self.has:
            raise Error(f"{name} is None on rank {rank}, which needs it, give a buffer")
        if not self.has and specification is not None:
            from mpi4py import MPI

            if specification is not MPI.IN_PLACE and not isinstance(specification, (list, tuple)):
                specification = None  # of no meaning here, whatever it is
        self.message = describe(name, specification, written, blocks)

    def count(self) -> int:
        """Elements of a block, or of the vector."""
        if self.all_blocks:
            if self.blocks == 0:
                return 0
            if self.message.elements % self.blocks and self.has:
                raise Error(f"a buffer of {self.message.elements} elements cannot be cut into blocks for "
                            f"{self.blocks} {self.blocks.of}, give the count")
            return self.message.elements // self.blocks
        return self.message.elements


def _sides(name: str, operation: str, parameters: List[Tuple[str, str]], buffers: Sequence[Any], comm: Any,
           root: int) -> List[_Side]:
    from . import _models

    send, recv = _models.operation(operation.replace("_", "-"))  # as users write its name
    kinds = [(kind, label) for kind, label in parameters if kind in ("send_buffer", "recv_buffer")]
    rank, ranks = comm.Get_rank(), Blocks(comm.Get_size())
    if len(kinds) == 1:  # one buffer that is sent at the root and received elsewhere
        return [_Side(kinds[0][1], buffers[0], ("everywhere", "block"), rank != root, rank, ranks, root)]
    typed = any(kind == "datatypes" for kind, _ in parameters)
    describe = typed_message_of if typed else message_of
    senders, receivers = (ranks, ranks) if recv[1] != "neighbours" else _degrees(comm)
    return [_Side(label, buffer, send if kind == "send_buffer" else recv, kind == "recv_buffer", rank,
                  receivers if kind == "send_buffer" else senders, root, describe)
            for (kind, label), buffer in zip(kinds, buffers)]


def _degrees(comm: Any) -> Tuple[Blocks, Blocks]:
    """How many neighbours this process receives from, and sends to."""
    from mpi4py import MPI

    topology = comm.Get_topology()
    if topology == MPI.CART:
        both = NeighbourBlocks(2 * MPI.Cartcomm(comm).Get_dim())
        return both, both
    if topology == MPI.GRAPH:
        both = NeighbourBlocks(MPI.Graphcomm(comm).Get_neighbors_count(comm.Get_rank()))
        return both, both
    if topology == MPI.DIST_GRAPH:
        counts: Any = MPI.Distgraphcomm(comm).Get_dist_neighbors_count()
        return NeighbourBlocks(counts[0]), NeighbourBlocks(counts[1])
    raise Error("comm has no topology, make one with Create_cart, Create_graph or Create_dist_graph")


def _explicit_count(specification: Any) -> bool:
    return isinstance(specification, (list, tuple)) and isinstance(_split(specification)[1], int)


def arguments_of(name: str, comm: Any, buffers: Sequence[Any], root: int, op: Any,
                 counts: Optional[Sequence[int]]) -> Tuple[List[Any], List[Any]]:
    """What the function of PAT takes, and what must live as long as the call."""
    from mpi4py import MPI

    from . import _calls

    if not isinstance(comm, MPI.Comm):
        raise Error(f"comm is a {type(comm).__name__}, give a communicator of mpi4py")
    operation, parameters = _calls.signatures[name]
    sides = _sides(name, operation, parameters, buffers, comm, root)
    groups: List[List[str]] = []
    for kind, _ in parameters:
        if kind in ("send_buffer", "recv_buffer"):
            groups.append([])
        elif kind in ("count", "counts", "displacements", "addresses", "datatype", "datatypes"):
            groups[-1].append(kind)
    described = [index for index, group in enumerate(groups) if group]
    arguments: List[Any] = []
    keep: List[Any] = [side.message.keep for side in sides]

    def source_of(index: int) -> int:
        """The side whose count and datatype hold: where two buffers share them, one that is given."""
        if len(described) == len(sides) or sides[index].message.given:
            return index
        return next((other for other in range(len(sides)) if sides[other].message.given), index)

    def counted(index: int) -> int:
        """The same for one count; a process without neighbours on one side gives that of the other, which Open MPI
        wants: it takes none for a call that nobody sends anything in."""
        source = source_of(index)
        no_blocks = sides[source].all_blocks and sides[source].blocks == 0
        return 1 - source if no_blocks and len(sides) == 2 else source

    if len(described) < len(sides):
        if buffers[0] is MPI.IN_PLACE and sides[0].all_blocks:
            sides[1].all_blocks = True  # what is sent lies there
        if not any(kind == "counts" for kind, _ in parameters):
            _check_equal(name, sides)
    current, lengths = -1, None
    for kind, label in parameters:
        if kind in ("send_buffer", "recv_buffer"):
            current += 1
            lengths = None
            arguments.append(sides[current].message.address)
        elif kind == "count":
            side = sides[counted(current)]
            explicit = _explicit_count(buffers[counted(current)])
            arguments.append(side.message.elements if explicit else side.count())
        elif kind == "counts":
            side = sides[source_of(current)]
            lengths = side.message.counts if counts is None else _integers(name, "counts", side.blocks, counts)
            if lengths is None:
                lengths = _even(max(one.message.elements for one in sides), side.blocks)
            if len(described) < len(sides):
                _check_room(name, sides, lengths, comm.Get_rank())
            keep.append(lengths)
            arguments.append(_calls.address(lengths))
        elif kind in ("displacements", "addresses"):
            starts = sides[current].message.displacements
            starts = starts if starts is not None else _starts(lengths or [])
            starts = array("q" if kind == "addresses" else "i", starts)
            keep.append(starts)
            arguments.append(_calls.address(starts))
        elif kind == "datatype":
            arguments.append(sides[counted(current)].message.datatype)
        elif kind == "datatypes":
            arguments.append(sides[current].message.datatypes)
        elif kind == "op":
            arguments.append(MPI.SUM if op is None else op)
            keep.append(op)
        elif kind == "root":
            arguments.append(root)
        else:
            arguments.append(comm)
    return arguments, keep


def _check_equal(name: str, sides: List[_Side]) -> None:
    """Buffers that share a count; one may hold the blocks of all."""
    given = [side for side in sides if side.message.given and side.has]
    if len(given) < 2:
        return
    a, b = given
    if a.count() != b.count() or a.message.datatype != b.message.datatype:
        raise Error(f"{name} has a send buffer for {a.count()} elements of {a.message.datatype.Get_name()} and a receive "
                    f"buffer for {b.count()} of {b.message.datatype.Get_name()}, give equal ones")


def _check_room(name: str, sides: List[_Side], lengths: Sequence[int], rank: int) -> None:
    """Where counts stand beside no buffer of their own, each buffer must have what they ask for."""
    for side in sides:
        needed = sum(lengths) if side.all_blocks else lengths[rank]
        if side.has and side.message.given and side.message.counts is None and side.message.elements < needed:
            raise Error(f"{name} has a buffer of {side.message.elements} elements where {needed} are needed, give a larger "
                        "one")


def call(form: str, name: str, comm: Any, buffers: Sequence[Any], root: int = 0, op: Any = None,
         counts: Optional[Sequence[int]] = None) -> None:
    """A plain call."""
    from . import _calls

    arguments, _keep = arguments_of(name, comm, buffers, root, op, counts)
    getattr(_calls, form)(*arguments)


def begin(form: str, name: str, comm: Any, buffers: Sequence[Any], root: int = 0, op: Any = None,
          counts: Optional[Sequence[int]] = None) -> Request:
    """A call with a request, which keeps the buffers alive."""
    from . import _calls

    arguments, keep = arguments_of(name, comm, buffers, root, op, counts)
    return Request(getattr(_calls, form)(*arguments), keep, persistent=form.endswith("_init"))
