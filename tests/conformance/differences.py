"""The list of every difference from the stock plugin, and the cases that wait for a bug fix."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from notation import to_text

HERE = Path(__file__).resolve().parent
DIFFERENCES = HERE / "differences.toml"
KNOWN_OPEN = HERE / "known_open.toml"
COMPATIBILITY = HERE.parents[1] / "docs/compatibility.md"


@dataclass(frozen=True)
class Difference:
    """One reply of one case; `stock` and `ours` in the notation of the transcripts."""

    case: str
    reply: int  # from 1
    stock: str
    ours: str
    # Empty: of every server whose transcript has no line of its own there.
    server: str = field(default="", compare=False)

    def entry(self) -> str:
        """As a line of differences.toml."""
        return (
            f"  {{ case = {_quoted(self.case)}, reply = {self.reply},"
            f" stock = {_quoted(self.stock)}, ours = {_quoted(self.ours)} }},"
        )


def between(case: str, stock: list[bytes | None], ours: list[bytes | None]) -> list[Difference]:
    """The differences of one case."""
    return [
        Difference(case, number, _text(one), _text(other))
        for number, (one, other) in enumerate(zip(stock, ours, strict=True), 1)
        if one != other
    ]


def listed() -> dict[str, list[Difference]]:
    """The differences of differences.toml by their case, each in the order of its replies."""
    by_case: dict[str, list[Difference]] = {}
    for row in _load(DIFFERENCES).values():
        for entry in row["cases"]:
            by_case.setdefault(entry["case"], []).append(Difference(**entry))
    return {case: sorted(found, key=lambda d: d.reply) for case, found in by_case.items()}


def rows() -> dict[str, bool]:
    """The ids of differences.toml, and whether each says that docs/compatibility.md explains it."""
    return {row: not table.get("undocumented") for row, table in _load(DIFFERENCES).items()}


def documented_rows() -> list[str]:
    """The ids that docs/compatibility.md explains, as often as they stand there."""
    page = COMPATIBILITY.read_text(encoding="utf-8")
    return re.findall(r"^\| (C\d+) \|", page, re.MULTILINE)


def known_open() -> dict[tuple[str, str], str]:
    """By target and case: why the case fails until a bug is repaired."""
    bugs = _load(KNOWN_OPEN).get("bug", [])
    return {(target, bug["case"]): bug["reason"] for bug in bugs for target in bug["targets"]}


def _load(path: Path) -> dict[str, dict]:
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _text(reply: bytes | None) -> str:
    return "<EOF" if reply is None else to_text(reply)


def _quoted(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
