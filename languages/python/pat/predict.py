"""Models of computing times, without MPI: what PAT foretells arrivals by.

    >>> from pat import predict
    >>> model = predict.Predictor("sma:3")
    >>> for computing_s in (0.2, 0.25, 0.3):
    ...     model.observe(computing_s)
    >>> round(model.forecast().mean_s, 3)
    0.25
"""

from __future__ import annotations

from typing import Iterable, List, Mapping, NamedTuple, Optional

from . import _models

__all__ = ["Forecast", "Model", "Predictor", "foretell", "models"]


class Forecast(NamedTuple):
    """A predicted computing time in seconds with its 90 % interval."""

    mean_s: float
    lower_s: float
    upper_s: float


class Model(NamedTuple):
    """A registered model."""

    name: str  #: "sma"
    usage: str  #: "sma:w (default 5)"
    idea: str
    source: str


def models() -> List[Model]:
    """All models there are."""
    return [Model(*row) for row in _models.models()]


class Predictor:
    """A model of the computing times of one process in one region: "last", "sma:5", "ensemble" ...

    Raises pat.Error, which lists the models, for one that there is not. Not thread-safe.
    """

    def __init__(self, model: str = "ensemble") -> None:
        self.model = model
        self._predictor = _models.Predictor(model)

    def observe(self, computing_s: float, hints: Optional[Mapping[str, float]] = None) -> None:
        """A computing phase ended that took so many seconds; ``hints`` are the covariates that it had."""
        self._predictor.observe(float(computing_s), [(name, float(value)) for name, value in (hints or {}).items()])

    def observe_edge(self, fraction: float, elapsed_s: float) -> None:
        """The present phase has done ``fraction`` of its work after so many seconds."""
        self._predictor.observe_edge(float(fraction), float(elapsed_s))

    def observe_hint(self, name: str, value: float) -> None:
        """A covariate of the present or next phase, such as ("particles", 1e6)."""
        self._predictor.observe_hint(name, float(value))

    def forecast(self, steps: int = 1) -> Optional[Forecast]:
        """The computing time of the present or next phase, or of that ``steps`` ahead; None while nothing
        is known."""
        row = self._predictor.forecast(steps)
        return None if row is None else Forecast(*row)

    def reset(self) -> None:
        """Forgets everything."""
        self._predictor.reset()


def foretell(times_s: Iterable[float], model: str = "ensemble") -> List[Optional[Forecast]]:
    """What the model would have foretold before each of these computing times, from those before it."""
    predictor, forecasts = Predictor(model), []
    for time_s in times_s:
        forecasts.append(predictor.forecast())
        predictor.observe(time_s)
    return forecasts
