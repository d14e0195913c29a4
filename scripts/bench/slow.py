"""The section slow: durable writes on servers each sync of which takes longer, as on a slower disk."""

from __future__ import annotations

from bench import batches, writes
from bench.load import Case
from bench.run import Run
from bench.settings import SLOW, WITH_LOG

TARGETS = ("ours", "ours default", *writes.SQL)


def cases() -> list[Case]:
    """Those of the section writes that have a binary log, and batches of lookups and updates."""
    return [
        *writes.cases("on", TARGETS, slow=True),
        *writes.upserts(slow=True),
        *writes.transactions(slow=True),
        *batches.cases("ours" + WITH_LOG + SLOW),
    ]


def slow(run: Run) -> None:
    """All of them."""
    run.results.note("slow", "sync_delay_ms", run.options.sync_delay)
    writes.rounds(run, "slow", cases(), writes.inside(slow=True))
    writes.stop(run, cases())
