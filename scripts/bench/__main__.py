"""./run bench."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from run_report import say
from server_files import REPOSITORY, ServerError

from bench import (
    about,
    cost,
    front_ends,
    kept,
    limits,
    lookups,
    machine,
    mixed,
    rates,
    size,
    slow,
    summary,
    threads,
    writes,
)
from bench.options import DIRECTORY, PAGE, RELEASE, parse
from bench.preparation import prepare
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
    "front_ends": front_ends.front_ends,
    "limits": limits.limits,
    "cost": cost.cost,
    "slow": slow.slow,
}


def main(arguments: Sequence[str]) -> int:
    """Measures what is asked for, and writes the page."""
    options = parse(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):  # like Ctrl-C: they end the servers
        signal.signal(number, signal.default_int_handler)
    wrong = 0
    measured = False
    try:
        if not options.page_only:
            look_around(options)
            if options.build == RELEASE:
                prepare(uncounted="cost" in options.only)
            measured = True
            wrong = measure(options)
        if options.page:
            write_page(options)
    except ServerError as error:
        say(f"error: {error}")
        if measured:
            say("what was measured is kept: --only goes on, --page-only writes the page")
        return 1
    except KeyboardInterrupt:
        say("interrupted; what was measured is kept")
        return 130
    return 1 if wrong else 0


def look_around(options: argparse.Namespace) -> None:
    """Says so when the machine is busy. Raises when the run is to write a page."""
    sentence = machine.too_busy(options.quiet)
    if sentence and options.page and not options.force:
        raise ServerError(f"{sentence}; --force measures all the same, --no-page writes no page")
    if sentence:
        say(sentence)


def measure(options: argparse.Namespace) -> int:
    """Goes through the sections; returns how many answers were wrong."""
    DIRECTORY.mkdir(mode=0o700, parents=True, exist_ok=True)
    results = kept.load(options.results, options.page)
    import pymysql  # only here: prepare() may have installed it

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
    """The two pages, their plots, what is kept of the results, and README's numbers.

    Nothing of a busy machine.
    """
    results = kept.load(options.results, options.page)
    busy = results.busy_sections()
    if busy and not options.force:
        raise ServerError(
            f"no page is written: the machine was busy with something else during {', '.join(busy)}"
            "; --only measures these again, --page-only --force writes the page all the same"
        )
    from bench import page, plots  # only here: matplotlib is not needed to measure

    drawn = plots.draw(results, options.page.parent / "plots")
    goals = options.page.with_name(f"{options.page.stem}-goals.md")
    for path, text in ((options.page, page.text(results, drawn)), (goals, page.goals_text(results))):
        path.write_text(text, encoding="utf-8")
        inside = path.is_relative_to(REPOSITORY)
        say(f"written: {path.relative_to(REPOSITORY) if inside else path}")
    kept.write(results, options.page.with_suffix(".json"))
    if options.page == PAGE:
        readme = REPOSITORY / "README.md"
        readme.write_text(summary.into(readme.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
