"""The page on the clients, from what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from bench.clients import LANGUAGES
from bench.markdown import number, table

SHAPES = ("single", "pipeline", "parallel")
TARGETS = ("hs", "sql", "redis", "floor")
HEADS = {
    "single": "one connection, one lookup at a time",
    "pipeline": "one connection, 100 lookups at a time",
    "parallel": "16 threads, tasks or processes",
}
GOALS = {"sql": 2.0, "redis": 1.0}
MARKS = {"reached": "", "beyond": "*", "open": "**"}

TEXT = """# Benchmarks of the clients

Lookups of one row by its primary key, with a value of 60 bytes, by the client of each language, its usual driver for
SQL and its usual client of Redis. `./run bench-clients` measures and writes this page; {date}, {rounds} rounds of
{seconds:g} s, {rows:,} rows.

How to read it:

- The machine has two cores. **The servers have one, and the program the other**, with all of its threads. With one
  lookup at a time a rate is mostly that of round trips through the kernel, so CPU tells more of a client than its
  rate does. CPU is that of the program, user and system, for one lookup. It contains making the keys and checking
  each value.
- **socket** is the same language with a bare socket, requests put together and answers cut without looking at them:
  what the server, the kernel and the language leave to be gained.
- SQL has no pipeline. Its 100 lookups are one statement with `IN` of 100 keys, which is the best SQL can do for them.
  Below it are 100 statements, one behind another, which is what a program has that puts its lookups into a pipeline;
  their figures are those of one lookup at a time, of the same round.
- Ratios compare within one round, and their median is given; above 1 this client is faster, or uses less CPU.
- The goals: twice the rate of the SQL driver, and at least the rate of the client of Redis. {reached} of {goals} are
  reached. {beyond} are missed by the bare socket of the same rounds, too: they are marked *so*, with the ratio that the
  socket has. With one lookup at a time the round trip through the kernel is most of the time of every client, and no
  client can save it. With more at a time a fast program waits for the servers' core, and the servers are compared
  rather than the clients. The other {open} the socket reaches: they are marked **so**, and are for the client to gain.
- The socket is no strict bound: a client that sends several tasks' requests in one piece can be faster, and single
  rounds are noisy.
- The adaptive hash index of MariaDB is on, as [operations.md](operations.md#tuning) advises. SQL uses it, too.
- A run begins when other processes use little of the machine. What they use later is not looked at.
{missing}
{machine}

{sections}
"""

Results = Mapping[str, Any]
Round = Mapping[str, Mapping[str, float]]


def rate(one: Mapping[str, float]) -> float:
    """Lookups in a second."""
    return one["lookups"] / one["seconds"]


def cost(one: Mapping[str, float]) -> float:
    """Microseconds of the program's CPU for a lookup."""
    return 1e6 * one["cpu"] / one["lookups"]


def rate_ratio(rounds: Sequence[Round], other: str, ours: str = "hs") -> float:
    """How many times as many lookups as the other has."""
    return median(rate(each[ours]) / rate(each[other]) for each in rounds)


def cost_ratio(rounds: Sequence[Round], other: str) -> float:
    """How many times as much CPU the other uses for a lookup."""
    return median(cost(each[other]) / cost(each["hs"]) for each in rounds)


def verdict(rounds: Sequence[Round], other: str) -> str:
    """Of the goal against a target: `reached`, `beyond` the socket's reach, too, or `open`."""
    least = GOALS.get(other, 0)
    if rate_ratio(rounds, other) >= least:
        return "reached"
    return "open" if rate_ratio(rounds, other, "floor") >= least else "beyond"


def goals(results: Results) -> Iterator[str]:
    """The verdict on each goal."""
    for shapes in results["languages"].values():
        for rounds in shapes.values():
            for other in GOALS:
                yield verdict(rounds, other)


def text(results: Results) -> str:
    """The whole page."""
    verdicts = Counter(goals(results))
    sections = [
        f"## {LANGUAGES[name].name}\n\n{section(name, shapes)}"
        for name, shapes in results["languages"].items()
    ]
    return TEXT.format(
        **{name: results[name] for name in ("date", "rounds", "seconds", "rows")},
        machine="\n".join(f"- {name}: {value}" for name, value in results["machine"].items()),
        goals=verdicts.total(),
        **{name: verdicts[name] for name in ("reached", "beyond", "open")},
        missing=missing(results["languages"]),
        sections="\n".join(sections).rstrip(),
    )


def missing(measured: Container[str]) -> str:
    """The line on languages that were never measured."""
    names = [language.name for name, language in LANGUAGES.items() if name not in measured]
    return f"- Not measured: {', '.join(names)}.\n" if names else ""


def with_singles(shapes: Mapping[str, Sequence[Round]]) -> Mapping[str, Sequence[Round]]:
    """The pipeline's rounds also have SQL's single lookups, in the place of its IN."""
    if not {"single", "pipeline"} <= set(shapes):
        return shapes
    both = zip(shapes["single"], shapes["pipeline"])
    rounds = [{**pipeline, "singles": single["sql"]} for single, pipeline in both]
    return {**shapes, "pipeline": rounds}


def figures(rounds: Sequence[Round], target: str) -> list[str]:
    """The cells of one target."""
    rates = median(rate(each[target]) for each in rounds)
    costs = median(cost(each[target]) for each in rounds)
    cells = [number(rates), f"{number(costs)} µs"]
    if target == "hs":
        return [*cells, "", ""]
    mark = MARKS[verdict(rounds, target)]
    shown = f"{mark}{number(rate_ratio(rounds, target))}{mark}"
    if mark:
        shown += f", socket {number(rate_ratio(rounds, target, 'floor'))}"
    return [*cells, shown, number(cost_ratio(rounds, target))]


def section(name: str, shapes: Mapping[str, Sequence[Round]]) -> str:
    """The tables of one language."""
    language = LANGUAGES[name]
    names = {
        "hs": "**HandlerSocket 2**",
        "sql": language.sql,
        "singles": f"{language.sql.split(',')[0]}, 100 statements",
        "redis": language.redis,
        "floor": "socket",
    }
    rows = []
    for shape, rounds in with_singles(shapes).items():
        rows.append([f"*{HEADS[shape]}*", "", "", "", ""])
        for target in (each for each in names if each in rounds[0]):
            rows.append([names[target], *figures(rounds, target)])
    head = ["", "lookups/s", "CPU for one", "rate, ours to it", "CPU, its to ours"]
    return f"In parallel there are 16 {language.parallel}.\n\n{table(head, rows)}\n"
