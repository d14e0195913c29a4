"""docs/benchmarks.json: the results that the page shows, kept beside it so that it can be redrawn.

One line for each case and target, with lists over the rounds, of the figures that the page shows. It
is a tenth of the size of build/bench/results.json, which has all that hs bench said.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from server_files import ServerError

from bench.figures import Group, groups
from bench.results import VERSION, Results

SHARED = ("case", "target", "connections", "depth")
PER_ROUND = ("round", "others", "load_core", "attempts", "busy")
FIGURES = (
    "per_second",
    "rate",
    "errors",
    "seconds",
    "server_cpu_seconds",
    "server_cpu_us",
    "server_cpu_us_per_row",
    "hits",
)
PERCENTILES = ("p50", "p99", "p99.9")


def write(results: Results, path: Path) -> None:
    """Writes what the page shows of the results."""
    sections = []
    for name, section in results.sections.items():
        lines = [json.dumps(_packed(group)) for group in groups(results, name).values()]
        head = {"name": name, "about": section["about"], "complete": section["complete"]}
        sections.append(f'{json.dumps(head)[:-1]}, "groups": [\n' + ",\n".join(lines) + "\n]}")
    text = f'{{"version": {VERSION}, "sections": [\n' + ",\n".join(sections) + "\n]}\n"
    path.write_text(text, encoding="utf-8")


def read(path: Path, to: Path) -> Results:
    """What write() wrote; further measurements go to the file `to`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sections = {
            section["name"]: {
                "about": section["about"],
                "complete": section["complete"],
                "measurements": [one for group in section["groups"] for one in _unpacked(group)],
            }
            for section in content["sections"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ServerError(f"{path} cannot be read: {error!r}") from None
    return Results(to, sections)


def load(results: Path, page: Path | None) -> Results:
    """What was measured here; else what was kept beside the page; else nothing."""
    beside = page.with_suffix(".json") if page else None
    if not results.exists() and beside and beside.exists():
        return read(beside, results)
    return Results.load(results)


def _packed(group: Group) -> dict[str, Any]:
    runs = group.measurements
    packed = {name: getattr(group.first, name) for name in (*SHARED, "command")}
    packed |= {name: [getattr(run, name) for run in runs] for name in PER_ROUND}
    known = group.first.figures
    packed["figures"] = {
        name: [run.figures[name] for run in runs] for name in FIGURES if name in known
    }
    if "latency_us" in known:
        packed["latency_us"] = {
            name: [run.figures["latency_us"][name] for run in runs] for name in PERCENTILES
        }
    if "rate" in known:  # only these have a curve on the page
        packed["curve"] = [percent for percent, _ in known["percentiles"]]
        packed["curves"] = [[us for _, us in run.figures["percentiles"]] for run in runs]
    return packed


def _unpacked(packed: dict[str, Any]) -> list[dict[str, Any]]:
    """As the sections of Results have it."""
    found = []
    for place in range(len(packed["round"])):
        figures = {name: values[place] for name, values in packed["figures"].items()}
        if "latency_us" in packed:
            figures["latency_us"] = {
                name: values[place] for name, values in packed["latency_us"].items()
            }
        if "curve" in packed:
            figures["percentiles"] = list(map(list, zip(packed["curve"], packed["curves"][place])))
        fields = {name: packed[name] for name in (*SHARED, "command")}
        fields |= {name: packed[name][place] for name in PER_ROUND}
        found.append({**fields, "figures": figures})
    return found
