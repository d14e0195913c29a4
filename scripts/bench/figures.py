"""Medians, ranges and ratios of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from bench.load import Measurement
from bench.results import Results

Value = Callable[[Measurement], float]


def rate(measurement: Measurement) -> float:
    """Requests per second."""
    return float(measurement.figures["per_second"])


def cpu(measurement: Measurement) -> float:
    """The server's CPU time for a request, in microseconds."""
    return float(measurement.figures["server_cpu_us"])


def cpu_per_row(measurement: Measurement) -> float:
    """The server's CPU time for a row, in microseconds."""
    return float(measurement.figures["server_cpu_us_per_row"])


def hits(measurement: Measurement) -> float:
    """The share of lookups for which no page was read from disk."""
    return float(measurement.figures["hits"])


def per_cpu_second(measurement: Measurement) -> float:
    """Requests for a second of the server's CPU time."""
    return 1e6 / cpu(measurement)


def rows_per_cpu_second(measurement: Measurement) -> float:
    """Rows for a second of the server's CPU time."""
    return 1e6 / cpu_per_row(measurement)


def latency(percentile: str) -> Value:
    """`p50`, `p99` or `p99.9` in microseconds."""
    return lambda measurement: float(measurement.figures["latency_us"][percentile])


FEW_ROUNDS = 3  # so few rounds have no middle half; their range is shown instead


@dataclass(frozen=True)
class Spread:
    """The median over the rounds, and the bounds of their middle half (of few rounds: of all)."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        """Of one value at least."""
        if len(values) <= FEW_ROUNDS:
            return Spread(median(values), min(values), max(values))
        return Spread(median(values), *quantiles(values, n=4, method="inclusive")[::2])


class Group:
    """All rounds of one case with one target."""

    def __init__(self, measurements: Sequence[Measurement]) -> None:
        self.measurements = list(measurements)

    @property
    def first(self) -> Measurement:
        """What all of them have in common."""
        return self.measurements[0]

    @property
    def errors(self) -> int:
        """Wrong answers of all rounds."""
        return sum(int(m.figures["errors"]) for m in self.measurements)

    def spread(self, value: Value) -> Spread:
        """Of one figure over the rounds."""
        return Spread.of([value(m) for m in self.measurements])


def groups(results: Results, section: str) -> dict[tuple[str, str], Group]:
    """The groups of a section by case and target, in the order in which they were measured."""
    found: dict[tuple[str, str], list[Measurement]] = {}
    for measurement in results.measurements(section):
        found.setdefault((measurement.case, measurement.target), []).append(measurement)
    return {key: Group(measurements) for key, measurements in found.items()}


def ratio(above: Group | None, below: Group | None, value: Value) -> Spread | None:
    """How much greater `above` is: the ratios within each round. None when one is missing."""
    if above is None or below is None:
        return None
    rounds = {m.round: value(m) for m in below.measurements}
    ratios = [value(m) / rounds[m.round] for m in above.measurements if rounds.get(m.round, 0) > 0]
    return Spread.of(ratios) if ratios else None


Parts = Mapping[str, tuple[Group | None, Value]]


def combined(parts: Parts, function: Callable[..., float]) -> Spread | None:
    """What `function` makes of the parts' figures of the same round, by their names.

    None when a part is missing, or no round has all of them.
    """
    columns: dict[str, dict[int, float]] = {}
    for name, (group, value) in parts.items():
        if group is None:
            return None
        columns[name] = {m.round: value(m) for m in group.measurements}
    rounds = set.intersection(*(set(column) for column in columns.values()))
    if not all(column[number] > 0 for column in columns.values() for number in rounds):
        return None
    values = [
        function(**{name: column[number] for name, column in columns.items()})
        for number in sorted(rounds)
    ]
    return Spread.of(values) if values else None
