"""What a process that was forked begins anew: connections and locks are its parent's."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    """What is told."""

    def after_fork(self) -> None:
        """Begins anew, in the new process. Its locks may be held by threads that are not there."""


_watched: "weakref.WeakSet[Forked]" = weakref.WeakSet()
_generation = 0


def generation() -> int:
    """A number that differs from the one in the parent."""
    return _generation


def watch(one: Forked) -> None:
    """From now on `one` is told, as long as it is there."""
    _watched.add(one)


def _after_fork() -> None:
    global _generation
    _generation += 1
    for one in list(_watched):
        one.after_fork()


if hasattr(os, "register_at_fork"):  # not where nothing forks
    os.register_at_fork(after_in_child=_after_fork)
