"""The command line of ./run bench."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import server_files
from server_files import REPOSITORY

DIRECTORY = REPOSITORY / "build/bench"
PAGE = REPOSITORY / "docs/benchmarks.md"
RELEASE = REPOSITORY / "build/release"
SECTIONS = (
    "lookups",
    "connections",
    "ranges",
    "writes",
    "size",
    "threads",
    "rates",
    "mixed",
    "front_ends",
    "limits",
    "cost",
    "slow",
)
MOST_ROWS = 100_000_000
MOST_DELAY_MS = 1000.0
QUICK_DELAY_MS = 0.5  # with --quick, which tries everything

Number = TypeVar("Number", int, float)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (./run bench --help tells more)\n")


def _number(kind: Callable[[str], Number], low: Number, high: Number) -> Callable[[str], Number]:
    def convert(text: str) -> Number:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"a number from {low:g} to {high:g}, not {text!r}")
        return value

    return convert


def _sections(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in SECTIONS:
            raise argparse.ArgumentTypeError(
                f"{name!r} is no section; there are {', '.join(SECTIONS)}"
            )
    return names


def _core(text: str) -> int:
    cores = os.sched_getaffinity(0)
    if not text.isdigit() or int(text) not in cores:
        raise argparse.ArgumentTypeError(f"{text!r} is none of the cores {sorted(cores)}")
    return int(text)


def _parser() -> _Parser:
    cores = sorted(os.sched_getaffinity(0))
    parser = _Parser(
        "./run bench",
        allow_abbrev=False,
        description="Measures this plugin, the stock plugin, SQL, memcached and Redis in turns, "
        "and writes docs/benchmarks.md.",
    )
    add = parser.add_argument
    add(
        "--only",
        type=_sections,
        metavar="SECTION,…",
        help=f"measure these again and keep the rest: {', '.join(SECTIONS)}",
    )
    add("--quick", action="store_true", help="a short run for trying out; writes no page")
    add("--page-only", action="store_true", help="measure nothing, redraw the page and plots")
    add(
        "--results",
        type=Path,
        metavar="FILE",
        help="where measurements are kept (build/bench/results.json)",
    )
    add(
        "--page",
        type=Path,
        metavar="FILE",
        help="where the page goes, plots beside it (docs/benchmarks.md)",
    )
    add("--no-page", action="store_true", help="write no page")

    def add_number(flag: str, kind: Callable[[str], float], text: str, **more: float) -> None:
        add(flag, type=kind, metavar="N", help=text, **more)

    add_number("--rounds", _number(int, 1, 100), "how often everything is measured (5)")
    add_number("--seconds", _number(float, 0.1, 600.0), "that one measurement takes (0.7)")
    add_number("--rows", _number(int, 1000, MOST_ROWS), "rows of the table of lookups (1000000)")
    add_number(
        "--most-rows",
        _number(int, 1000, MOST_ROWS),
        "the section size goes up to this of 1, 10, 20 and 50 million rows (10000000)",
    )
    add(
        "--sync-delay",
        type=_number(float, 0.01, MOST_DELAY_MS),
        metavar="MS",
        help="also measure the section slow: durable writes when each sync of the server takes so "
        "many milliseconds longer",
    )
    add_number(
        "--cold-rows",
        _number(int, 100_000, MOST_ROWS),
        "rows of the table that is not in memory (4000000)",
    )
    add_number("--seed", _number(int, 0, 2**31), "what the keys are drawn from (1)", default=1)
    add_number("--server-core", _core, f"core of every server ({cores[0]})", default=cores[0])
    add_number(
        "--load-core", _core, f"core of the load generator ({cores[-1]})", default=cores[-1]
    )
    add_number(
        "--quiet",
        _number(float, 0.0, 100.0),
        "the part of a core that other processes may use during a measurement (0.15)",
        default=0.15,
    )
    add(
        "--force",
        action="store_true",
        help="measure, and write the page, although the machine is busy with something else",
    )
    add_number("--attempts", _number(int, 1, 100), "tries until it is that quiet (3)")
    add_number("--pause", _number(float, 0.0, 600.0), "seconds between two tries (3)", default=3.0)
    add(
        "--build",
        type=Path,
        metavar="DIR",
        default=RELEASE,
        help="use what is built there, and build nothing",
    )
    return parser


def _chosen(parser: _Parser, options: argparse.Namespace) -> tuple[str, ...]:
    """The sections to measure. `slow` is one of them whenever there is a delay, and only then."""
    chosen: tuple[str, ...] = options.only or tuple(name for name in SECTIONS if name != "slow")
    if options.sync_delay is None and "slow" in chosen and not options.page_only:
        parser.error("the section slow needs --sync-delay MS")
    if options.sync_delay is not None and "slow" not in chosen:
        chosen += ("slow",)
    return chosen


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Reads the command line; on a mistake it says which, and exits with 2."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.page_only and options.no_page:
        parser.error("--page-only and --no-page leave nothing to do")
    if options.page and options.no_page:
        parser.error("--page or --no-page, not both")
    quick = options.quick
    if quick and options.only is None and options.sync_delay is None:
        options.sync_delay = QUICK_DELAY_MS
    options.only = _chosen(parser, options)
    defaults = {
        "results": DIRECTORY / ("quick.json" if quick else "results.json"),
        "page": None if quick or options.no_page else PAGE,
        # Many short rounds: what other processes do then slows both sides of a ratio.
        "rounds": 1 if quick else 5,
        "seconds": 0.3 if quick else 0.7,
        "rows": 1_000_000,
        "most_rows": 200_000 if quick else 10_000_000,
        "cold_rows": 500_000 if quick else 4_000_000,
        "attempts": 1 if quick else 3,
    }
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if options.page_only and options.page is None:
        parser.error("--quick --page-only needs --page FILE")
    kept = options.page.with_suffix(".json") if options.page else None
    if options.page_only and not options.results.exists() and not (kept and kept.exists()):
        parser.error(f"there are no results in {options.results}")
    options.build = options.build.resolve()
    plugin = options.build / server_files.PLUGIN_FILE.name
    if options.build != RELEASE and not plugin.exists():
        parser.error(f"--build: there is no {plugin}")
    return options
