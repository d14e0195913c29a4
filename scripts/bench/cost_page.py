"""The page's section on what accounts, counters and TLS cost."""

from __future__ import annotations

from bench import cost, markdown
from bench.cost_goals import cost_goals
from bench.figures import groups
from bench.results import Results

TEXT = """\
## Accounts, counters, TLS

What they add to a lookup. One server is all of ours here: between two measurements its plugin is taken out and put in
again, so that rows, pages and hash index are the same. Many short measurements ({seconds:g} s) take turns in every
order, since the machine's own speed changes by more than is looked for.

{table}

- *An account with column grants*: `handlersocket_authentication=account`, and the account has SELECT on the columns, but
  not on the table. The connections have logged in before they are measured.
- *Without counters*: a plugin that is built with `-DHS_COUNTERS=OFF`. It counts nothing, and looks at no clock for the
  latency histograms.
- *Over TLS*: the library's default, TLS 1.3 with AES-256-GCM, with all servers. The load generator encrypts on its own
  core.
{idle}
{figures}

"""
IDLE = """\
- {count:,} idle TLS connections took {kib:.1f} KiB of the server's memory each. Each had opened an index and found a row.
"""


def link(results: Results) -> str:
    """For the page's contents; nothing when there is no such section."""
    return ", [accounts, counters, TLS](#accounts-counters-tls)" if groups(results, "cost") else ""


def text(results: Results) -> str:
    """The section; nothing when it was not measured."""
    if not groups(results, "cost"):
        return ""
    about = results.about("cost")
    idle = ""
    if "idle_kib" in about:
        idle = IDLE.format(count=about["idle_connections"], kib=about["idle_kib"])
    return TEXT.format(
        table=markdown.limit_table(cost_goals(results)),
        idle=idle,
        seconds=cost.SECONDS,
        figures=markdown.measurements(results, "cost"),
    )
