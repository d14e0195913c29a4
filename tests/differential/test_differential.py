"""Some thousands of drawn requests have the same outcome through the port and in SQL."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts"), str(HERE.parent / "e2e")]

from run import run, summarise  # noqa: E402

SEED = int(os.environ.get("DIFFERENTIAL_SEED", "1"))
SECONDS = float(os.environ.get("DIFFERENTIAL_SECONDS", "30"))


def test_the_port_and_sql_agree() -> None:
    tally = run(SEED, SECONDS)
    summarise(tally)
    assert not tally.failures, (
        f"seed {SEED}: {len(tally.failures)} failures, the first: {tally.failures[0]}"
    )
    assert tally.cases > 2000
