"""Failures: what is needed to see and to replay one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from cases import Request
from dump import Snapshot
from outcome import Outcome
from schema import Table


@dataclass
class Failure:
    """A difference between the port and SQL."""

    kind: str  # crash, hang, reply, rows, check
    place: str  # --seed S --case N and the request in it
    sql_mode: str
    table: Table
    requests: list[Request] = field(default_factory=list)
    sql: list[str] = field(default_factory=list)
    port: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    before: Snapshot = field(default_factory=dict)
    detail: str = ""
    signature: str = ""
    known: str = ""

    def __str__(self) -> str:
        binary = "  character_set=binary" if self.table.raw else ""
        lines = [
            f"--- {self.kind}: {self.place}  sql_mode='{self.sql_mode}'{binary}  [{self.signature}]"
        ]
        lines += [f"  {ddl};" for ddl in [*self.table.before, self.table.ddl, *self.table.after]]
        for name, rows in self.before.items():
            lines += [f"  {name} before: {_row(row)}" for row in rows[:12]]
        for request, got, wanted in zip(self.requests, self.port, self.expected):
            lines.append(f"  {request.spec.line().rstrip()!r}")
            lines.append(f"  {request.line().rstrip()[:600]!r}")
            lines += [f"    port: {got[:400]}", f"    sql:  {wanted[:400]}"]
        lines += [f"  SQL: {statement[:900]}" for statement in self.sql]
        if self.detail:
            lines.append("  " + self.detail.replace("\n", "\n  "))
        return "\n".join(lines)


@dataclass
class Tally:
    """The results of all tables."""

    failures: list[Failure] = field(default_factory=list)
    known: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    tables: int = 0
    cases: int = 0
    refused: int = 0
    crashes: int = 0

    def add(self, failure: Failure) -> None:
        """Counts a failure that is known, keeps another one."""
        if failure.known:
            self.known[failure.known] += 1
        else:
            self.failures.append(failure)


def _row(row: tuple[bytes | None, ...]) -> str:
    return ", ".join("NULL" if v is None else v.decode("latin1")[:60] for v in row)


def differences(ours: Snapshot, theirs: Snapshot) -> str:
    """The rows that only one side has."""
    lines = []
    for name in theirs:
        lines += [f"{name}: only port: {_row(r)}" for r in ours[name] if r not in theirs[name]][:6]
        lines += [f"{name}: only SQL:  {_row(r)}" for r in theirs[name] if r not in ours[name]][:6]
        if not lines and ours[name] != theirs[name]:
            lines.append(
                f"{name}: rows in another number: {len(ours[name])} and {len(theirs[name])}"
            )
    return "\n".join(lines)


def signature_of(kind: str, request: Request, port: Outcome, sql: Outcome) -> str:
    """A key that is roughly the same for failures of one cause."""

    def short(outcome: Outcome) -> str:
        if outcome.failed:
            return outcome.error or f"errno {outcome.number}"
        return "rows" if outcome.rows is not None else "done"

    return f"{kind} {request.action} {short(port)} / {short(sql)}"
