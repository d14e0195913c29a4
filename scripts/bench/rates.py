"""The section rates: latency when requests come at a fixed rate, whatever the server does."""

from __future__ import annotations

from statistics import median

from bench.load import Case
from bench.run import Run

SHARES = (25, 50, 75)  # per cent
RATE_CONNECTIONS = 100


def rate_name(share: int, of: str) -> str:
    """The name of the cases at one rate; `of`: sql prepared or ours."""
    return f"{share} % of what {'SQL' if of.startswith('sql') else 'HandlerSocket 2'} can do"


def rates(run: Run) -> None:
    """Latency when requests come at a fixed rate, whatever the server does."""
    for number in range(1, run.options.rounds + 1):
        for target in ("sql prepared", "ours"):
            run.measure("rates", Case("as fast as it can", target, RATE_CONNECTIONS), number)
    peaks = {
        target: median(
            measurement.figures["per_second"]
            for measurement in run.results.measurements("rates")
            if measurement.target == target
        )
        for target in ("sql prepared", "ours")
    }
    cases = []
    for of, peak in peaks.items():
        targets: tuple[str, ...] = ("ours", "stock", "memcached", "redis")
        if of.startswith("sql"):  # at the other's rates it would only fall behind
            targets += ("sql prepared",)
        for share in SHARES:
            rate = ("--rate", str(max(1, round(peak * share / 100))))
            name = rate_name(share, of)
            cases += [Case(name, target, RATE_CONNECTIONS, arguments=rate) for target in targets]
    run.rounds("rates", cases)
