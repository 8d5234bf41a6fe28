"""Sessions, regions and computing phases."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from .predict import Forecast

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Pause", "Processing", "Region", "Session", "is_running", "use_algorithm"]


class Session:
    """PAT between its beginning and its end, as a context:

        with pat.Session(report="stderr"):
            ...

    ``comm`` is MPI.COMM_WORLD if left out. Settings are those that ``pat info --env`` lists, without PAT_
    and in lower case; they beat the environment. Collective. Raises pat.Error on all processes for a wrong
    setting.
    """

    def __init__(self, comm: Optional[MPI.Comm] = None, **settings: Any) -> None:
        from mpi4py import MPI

        from . import _calls

        def text(value: Any) -> str:
            return str(int(value)) if isinstance(value, bool) else str(value)

        config = ";".join(f"{name}={text(value)}" for name, value in settings.items())
        _calls.init(MPI.COMM_WORLD if comm is None else comm, config)
        self._open = True

    def close(self) -> None:
        """Ends the session: writes report and trace. Collective; once."""
        from . import _calls

        if self._open:
            self._open = False
            _calls.finalize()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.close()
        else:
            print("pat: an exception ends the session without waiting for the other processes; run the program with "
                  "python3 -m mpi4py, which aborts them", file=sys.stderr)


def is_running() -> bool:
    """Whether a session is open. Starts MPI if nothing did."""
    from . import _calls

    return _calls.initialized()


def use_algorithm(operation: str, algorithm: str) -> None:
    """The algorithm of the operation's calls that follow, as use_algorithm("gather", "bsls"); "auto" chooses
    call by call. Every process must make the same choice."""
    from . import _calls

    _calls.use_algorithm(operation, algorithm)


class Pause:
    """A part of a phase that is no computing, as a context."""

    def __init__(self, region: int) -> None:
        self._region = region

    def __enter__(self) -> Pause:
        from . import _calls

        _calls.region_pause(self._region)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        from . import _calls

        _calls.region_resume(self._region)


class Processing:
    """One computing phase, as a context: the process is about to enter a collective when it ends."""

    def __init__(self, region: int) -> None:
        self._region = region

    def __enter__(self) -> Processing:
        from . import _calls

        _calls.region_start(self._region)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        from . import _calls

        _calls.region_end(self._region)

    def edge(self, fraction: float) -> None:
        """The phase has done ``fraction`` of its work, 0 < fraction < 1. Thread-safe."""
        from . import _calls

        _calls.region_edge(self._region, fraction)

    def progress(self, done: float, total: float) -> None:
        """edge(done / total); the first and the last step say nothing new."""
        if 0 < done < total:
            self.edge(done / total)

    def pause(self) -> Pause:
        """What is done within it, such as an exchange of halos, is no computing."""
        return Pause(self._region)

    def hint(self, name: str, value: float) -> None:
        """A number that the length of the phase depends on, such as ("particles", 1e6). Thread-safe."""
        from . import _calls

        _calls.region_hint(self._region, name, value)


class Region:
    """A place that computes and then communicates, with a model of its own:

        with pat.Region(comm, "solver") as region:
            for _ in range(iterations):
                with region.processing() as phase:
                    first_half()
                    phase.edge(0.5)
                    second_half()
                pat.Gather(comm, part, whole)

    Region() is the default region of the session. Making one of one's own is collective over ``comm``.
    """

    def __init__(self, comm: Optional[MPI.Comm] = None, name: str = "") -> None:
        from mpi4py import MPI

        from . import _calls

        self._comm = MPI.COMM_WORLD if comm is None else comm
        self._handle = 0 if comm is None else _calls.region_create(comm, name)

    def free(self) -> None:
        """Frees a region of one's own; at the end of a ``with`` by itself."""
        from . import _calls

        if self._handle:
            handle, self._handle = self._handle, 0
            _calls.region_free(handle)

    def __enter__(self) -> Region:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.free()

    def processing(self) -> Processing:
        """A computing phase: ``with region.processing() as phase:``."""
        return Processing(self._handle)

    def use_predictor(self, model: str) -> None:
        """Foretells this region's computing times with another model, such as "sma:5"."""
        from . import _calls

        _calls.region_predictor(self._handle, model)

    def forecast(self) -> Optional[Forecast]:
        """This process's predicted computing time of the present or next phase; None while nothing is known."""
        from . import _calls

        row = _calls.region_forecast(self._handle)
        return None if row is None else Forecast(*row)

    def pattern(self) -> Tuple[List[float], int]:
        """The predicted arrivals of the region's processes, seconds after the earliest, and the number of
        decisions; 0: there is none yet."""
        from . import _calls

        offsets_s, epoch = _calls.region_pattern(self._handle, self._comm.Get_size())
        return offsets_s, epoch

    def pattern_age(self) -> Optional[int]:
        """How many calls after the region this process has made since the one that the pattern was decided for;
        None while there is none."""
        from . import _calls

        return _calls.region_pattern_age(self._handle)
