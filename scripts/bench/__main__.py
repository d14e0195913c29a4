"""./run bench."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from run_report import say
from server_files import REPOSITORY, ServerError

from bench import about, lookups, mixed, rates, size, threads, writes
from bench.options import DIRECTORY, RELEASE, parse
from bench.preparation import prepare
from bench.results import Results
from bench.run import Run
from bench.servers import Servers

MEASURE = {
    "lookups": lookups.lookups,
    "connections": lookups.connections,
    "ranges": lookups.ranges,
    "writes": writes.writes,
    "size": size.size,
    "threads": threads.threads,
    "rates": rates.rates,
    "mixed": mixed.mixed,
}


def main(arguments: Sequence[str]) -> int:
    """Measures what is asked for, and writes the page."""
    options = parse(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: the servers are ended
        signal.signal(number, signal.default_int_handler)
    wrong = 0
    try:
        if not options.page_only:
            if options.build == RELEASE:
                prepare()
            wrong = measure(options)
        if options.page:
            write_page(options)
    except ServerError as error:
        say(f"error: {error}")
        if not options.page_only:
            say("what was measured before is kept: --only goes on, --page-only writes the page")
        return 1
    except KeyboardInterrupt:
        say("interrupted; what was measured is kept")
        return 130
    return 1 if wrong else 0


def measure(options: argparse.Namespace) -> int:
    """Goes through the sections; returns how many answers were wrong."""
    DIRECTORY.mkdir(mode=0o700, parents=True, exist_ok=True)
    results = Results.load(options.results)
    import pymysql  # only here: it may just have been installed

    with ExitStack() as stack:
        run = Run(options, Servers(options, stack), results)
        try:
            for name, section in MEASURE.items():
                if name in options.only:
                    results.begin(name, about.describe(options))
                    section(run)
                    results.end(name)
        except (pymysql.MySQLError, OSError) as error:
            raise ServerError(f"{name} could not be measured: {error}") from None
    wrong: int = sum(
        measurement.figures["errors"]
        for name in options.only
        for measurement in results.measurements(name)
    )
    say(f"measured: {options.results}, {wrong} wrong answers")
    return wrong


def write_page(options: argparse.Namespace) -> None:
    """The page and its plots, from the results alone."""
    from bench import page, plots  # only here: matplotlib is not needed to measure

    results = Results.load(options.results)
    drawn = plots.draw(results, options.page.parent / "plots")
    options.page.write_text(page.text(results, drawn), encoding="utf-8")
    inside = options.page.is_relative_to(REPOSITORY)
    say(f"written: {options.page.relative_to(REPOSITORY) if inside else options.page}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
