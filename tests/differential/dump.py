"""Every byte of a table and of its relatives, made comparable."""

from __future__ import annotations

from columns import Column
from database import Cells, Database
from schema import Table

Snapshot = dict[str, list[Cells]]


class Clock:
    """Recognises times that are those of the run itself; the two tables cannot agree on them."""

    def __init__(self, sql: Database) -> None:
        self.start = sql.one("SELECT CAST(NOW() - INTERVAL 5 SECOND AS CHAR)") or b""
        self.end = sql.one("SELECT CAST(NOW() + INTERVAL 1 DAY AS CHAR)") or b""

    def is_now(self, value: bytes | None) -> bool:
        """Whether the value is a time of this run."""
        return value is not None and self.start <= value <= self.end

    def mask(self, columns: list[Column], rows: list[Cells]) -> list[Cells]:
        """Rows of a reply without such times."""
        clocks = [i for i, c in enumerate(columns) if c.clock or c.row_time]
        if not clocks:
            return rows
        return [
            tuple(
                b"<now>" if i in clocks and (columns[i].row_time or self.is_now(v)) else v
                for i, v in enumerate(row)
            )
            for row in rows
        ]

    def rank(self, columns: list[Column], rows: list[Cells]) -> list[Cells]:
        """Replaces such times by their order where they have microseconds: a single changed one shows."""
        for position, column in enumerate(columns):
            if not column.clock:
                continue
            times = sorted({row[position] or b"" for row in rows if self.is_now(row[position])})
            names = {
                t: b"<now %d>" % i if column.length == 6 else b"<now>" for i, t in enumerate(times)
            }
            rows = [
                (*r[:position], names.get(r[position] or b"", r[position]), *r[position + 1 :])
                for r in rows
            ]
        return rows


def _sorted(rows: list[Cells]) -> list[Cells]:
    return sorted(rows, key=lambda row: [(v is not None, v or b"") for v in row])


def snapshot(sql: Database, database: str, table: Table, clock: Clock) -> Snapshot:
    """The rows of a table, its history and its parents and children."""
    columns = [c for c in table.columns if not c.row_time]
    shown = [c.dump() for c in columns]
    source = f"{database}.t"
    if table.versioned:
        ends = next((c.quoted for c in table.columns if c.row_time == "END"), "ROW_END")
        last = "18446744073709551614" if table.by_transaction else "'2038-01-17'"
        shown.append(f"{ends} > {last}")
        source += " FOR SYSTEM_TIME ALL"
    rows = clock.rank(columns, sql.rows(f"SELECT {', '.join(shown)} FROM {source}"))
    found = {"t": _sorted(rows)}
    for name in table.related:
        found[name] = _sorted(sql.rows(f"SELECT * FROM {database}.{name}"))
    return found


def check(sql: Database, database: str, table: Table) -> str:
    """What CHECK TABLE ... EXTENDED finds wrong."""
    names = ", ".join(f"{database}.{name}" for name in ["t", *table.related])
    results = [(row[2] or b"", row[3] or b"") for row in sql.rows(f"CHECK TABLE {names} EXTENDED")]
    bad = [
        b" ".join(r)
        for r in results
        if r[0] not in (b"status", b"note") or r[1] not in (b"OK", b"Table is already up to date")
    ]
    return b"; ".join(b for b in bad if b"doesn't support check" not in b).decode("latin1")
