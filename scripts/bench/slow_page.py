"""The page's section on a slower disk, and how long a commit takes."""

from __future__ import annotations

from bench import figures, markdown, writes
from bench.figures import groups
from bench.results import Results

TEXT = """\
## Durable writes on a slower disk

The same writes with the binary log on, when each `fsync` and `fdatasync` of the server takes {delay:g} ms longer
(`--sync-delay {delay:g}`): a library that is loaded into the server lets the calling thread sleep so long after each of
them. A commit waits for two of these calls, one after the other. One insert on one connection takes {slower:.2f} ms here in
the median{faster}.

{table}

"""


def commit_ms(results: Results, section: str) -> float | None:
    """How long an insert on one connection takes, with the binary log on, in the median."""
    name = writes.case_name("insert", "on", 1)
    group = groups(results, section).get((name, "ours"))
    return None if group is None else group.spread(figures.latency("p50")).median / 1000


def link(results: Results) -> str:
    """For the page's contents; nothing when there is no such section."""
    return "[on a slower disk](#durable-writes-on-a-slower-disk), " if text(results) else ""


def text(results: Results) -> str:
    """The section; nothing when it was not measured."""
    slower, faster = commit_ms(results, "slow"), commit_ms(results, "writes")
    if slower is None:
        return ""
    return TEXT.format(
        delay=results.about("slow").get("sync_delay_ms", 0),
        slower=slower,
        faster="" if faster is None else f", and {faster:.2f} ms without the delay",
        table=markdown.measurements(results, "slow"),
    )


def facts(results: Results) -> dict[str, str]:
    """For the table of the machine."""
    milliseconds = commit_ms(results, "writes")
    if milliseconds is None:
        return {}
    what = "an insert on one connection, binary log on, in the median"
    return {"One commit on this disk": f"{milliseconds:.2f} ms ({what})"}
