"""One goal: what a figure should reach, and what it is held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.figures import Group, Spread, Value, ratio


@dataclass(frozen=True)
class Held:
    """What a figure is held against in the same run, and the figure itself, in the same unit."""

    against: str
    floor: Spread | None
    ours: Spread | None
    unit: str  # µs or /s


@dataclass(frozen=True)
class Bound:
    """The best ratio that is possible by floors of the same run."""

    name: str
    ratio: Spread | None


@dataclass(frozen=True)
class Goal:
    """`measured` should be at least (or at most) `limit`; more than it when `strict`.

    Without a limit it is for information.
    """

    what: str
    limit: float | None
    measured: Spread | None
    at_most: bool = False
    strict: bool = False
    held: Held | None = None
    bound: Bound | None = None

    @property
    def reached(self) -> bool | None:
        """None: not measured, or nothing to reach."""
        if self.measured is None or self.limit is None:
            return None
        if self.at_most:
            return self.measured.median <= self.limit
        if self.strict:
            return self.measured.median > self.limit
        return self.measured.median >= self.limit

    @property
    def closeness(self) -> float | None:
        """How close it comes to a bound that forbids the goal: 1 is as close as can be.

        None: nothing forbids the goal, or it is reached.
        """
        if self.reached is not False or self.bound is None or self.bound.ratio is None:
            return None
        assert self.measured is not None and self.limit is not None
        bound, measured = self.bound.ratio.median, self.measured.median
        if self.at_most:
            return bound / measured if bound > self.limit else None
        return measured / bound if bound < self.limit else None


def spread_of(group: Group | None, value: Value) -> Spread | None:
    """Over the rounds; None when there is no such group."""
    return None if group is None else group.spread(value)


def beside(
    what: str,
    limit: float | None,
    above: Group | None,
    below: Group | None,
    value: Value,
    names: tuple[str, str],
    *,
    ours_above: bool = True,
    **more: Any,
) -> Goal:
    """A ratio of two groups. `names`: what ours is held against, and the unit."""
    ours, other = (above, below) if ours_above else (below, above)
    held = Held(names[0], spread_of(other, value), spread_of(ours, value), names[1])
    return Goal(what, limit, ratio(above, below, value), held=held, **more)
