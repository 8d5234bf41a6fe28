"""Schedules of collectives and what they cost, without MPI.

    >>> from pat import schedule
    >>> arrivals = [0, 0.02, 0.01, 0]  # seconds
    >>> late = schedule.build("gather", "sls", arrivals, count=1 << 20)
    >>> plain = schedule.build("gather", "ls", arrivals, count=1 << 20)
    >>> late.simulate().run_time_s <= plain.simulate().run_time_s
    True
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence

from . import _models

__all__ = ["Algorithm", "Schedule", "Step", "Timing", "algorithms", "build", "operations"]


class Algorithm(NamedTuple):
    """A registered way to do an operation."""

    name: str
    idea: str
    cost: str
    source: str


class Step(NamedTuple):
    """What a rank does: join (it has arrived), send, recv, copy or reduce."""

    kind: str
    peer: int  #: the rank at the other end; -1: none
    bytes: int  #: 0 of a send or recv: a go-ahead
    round: int
    after: List[int]  #: steps of this rank, by index, that must have ended before


class Timing(NamedTuple):
    """Seconds, on the time axis of the arrivals."""

    arrival_s: List[float]
    exit_s: List[float]
    run_time_s: float  #: last exit - first arrival
    mean_elapsed_s: float  #: mean over ranks of exit - arrival


def operations() -> List[str]:
    """The operations there are: "gather", "scatter", "reduce" ..."""
    return _models.operations()


def algorithms(operation: str) -> List[Algorithm]:
    """The algorithms of an operation; that named "mpi" is the library's own and has no schedule."""
    return [Algorithm(*row) for row in _models.algorithms(operation)]


class Schedule:
    """Who sends what to whom, after what. build() makes it."""

    def __init__(self, operation: str, algorithm: str, arrivals_s: Sequence[float], count: int = 4096,
                 type_bytes: int = 8, root: int = 0, segments: int = 0) -> None:
        self.operation, self.algorithm = operation, algorithm
        self.arrivals_s = [float(arrival) for arrival in arrivals_s]
        self._schedule = _models.Schedule(operation, algorithm, self.arrivals_s, count, type_bytes, root, segments)

    @property
    def ranks(self) -> int:
        """The number of processes."""
        return len(self.arrivals_s)

    @property
    def message_count(self) -> int:
        """Messages, go-aheads too."""
        return self._schedule.message_count()

    def program(self, rank: int) -> List[Step]:
        """What one rank does, in an order that respects what must have ended before."""
        return [Step(*row) for row in self._schedule.program(rank)]

    def verify(self) -> str:
        """Empty, or one sentence that says what is wrong: runs the schedule symbolically."""
        return self._schedule.verify()

    def simulate(self, alpha_s: float = _models.DEFAULT_LINK[0], beta_s_per_byte: float = _models.DEFAULT_LINK[1],
                 gamma_s_per_byte: float = _models.DEFAULT_LINK[2],
                 arrivals_s: Optional[Sequence[float]] = None) -> Timing:
        """Times in Hockney's model: a message of n bytes takes alpha + n beta, combining them n gamma.

        ``arrivals_s``: other arrivals than those that it was built for, as when a forecast was wrong.
        """
        arrivals = self.arrivals_s if arrivals_s is None else [float(arrival) for arrival in arrivals_s]
        return Timing(arrivals, *self._schedule.simulate(arrivals, alpha_s, beta_s_per_byte, gamma_s_per_byte))


def build(operation: str, algorithm: str, arrivals_s: Sequence[float], count: int = 4096, type_bytes: int = 8,
          root: int = 0, segments: int = 0) -> Schedule:
    """The schedule for these arrivals, one a rank, in seconds; a process sends or receives a block (or,
    where an operation combines, a vector) of ``count`` elements of ``type_bytes`` bytes; segments 0: the
    algorithm's own choice. Raises pat.Error."""
    return Schedule(operation, algorithm, arrivals_s, count, type_bytes, root, segments)
