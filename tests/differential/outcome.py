"""The outcome of a request on either side, and whether the two are the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hs_client import decode

Row = tuple[bytes | None, ...]
NO_COMPARISON = "(SQL has no such comparison)"

# Engine error numbers that the port sends, and what SQL calls them.
HANDLER_ERRORS: dict[int, set[int]] = {
    120: {1032},
    121: {1062, 1022, 1586},
    135: {1114},
    139: {1118, 1030, 1713},
    146: {1205},
    149: {1213},
    151: {1452},
    152: {1451},
    160: {1526},
    166: {1467},
    167: {1467, 167, 1264},
}


@dataclass
class Outcome:
    """An error, or what was found or counted. `errors`: what the port may say (a prefix of its
    text); `rows` with `groups`: rows of one group may come in any order."""

    error: str = ""
    number: int = 0  # SQL errno
    rows: list[Row] | None = None
    groups: list[int] = field(default_factory=list)
    count: int | None = None
    id: int | None = None  # that stands behind the count
    total: int = 0  # rows to come, when `rows` has all candidates
    skip: int = 0
    text: str = ""

    def __str__(self) -> str:
        if self.error or self.number:
            return f"error {self.error or self.number} {self.text}".strip()
        if self.rows is not None:
            shown = self.rows[self.skip : self.skip + self.total] if self.total else self.rows
            return f"rows {shown!r}"
        behind = "" if self.id is None else f" id {self.id}"
        return "ok" if self.count is None else f"count {self.count}{behind}"

    @property
    def failed(self) -> bool:
        """Whether it is an error."""
        return bool(self.error or self.number)


def parse(reply: bytes, finds: bool) -> Outcome:
    """A reply line of the port."""
    tokens = reply.split(b"\t")
    if tokens[0] != b"0":
        text = reply.split(b"\t", 2)[2].decode("latin1")
        return Outcome(error=text.split(" ")[0], text=text)
    if not finds:
        numbers = [int(token) for token in tokens[2:]]
        assert len(numbers) == (0 if tokens[1:] == [b"1"] else int(tokens[1])), reply
        return Outcome(count=numbers[0] if numbers else None, id=numbers[1] if len(numbers) > 1 else None)
    width = int(tokens[1])
    found = [decode(token) for token in tokens[2:]]
    assert width > 0 and len(found) % width == 0, reply
    return Outcome(rows=[tuple(found[i : i + width]) for i in range(0, len(found), width)])


def errors_agree(error: str, number: int) -> bool:
    """Whether an error of the port means the same as one of SQL."""
    if error.startswith("sql_"):
        return int(error[4:]) == number
    return error.isdigit() and number in HANDLER_ERRORS.get(int(error), set())


def agree(port: Outcome, sql: Outcome) -> bool:
    """Whether both outcomes are the same."""
    if port.failed or sql.failed:
        if not (port.failed and sql.failed):
            return False
        return port.error == sql.error if sql.error else errors_agree(port.error, sql.number)
    if sql.rows is None or port.rows is None:
        return (port.count, port.id) == (sql.count, sql.id) and (sql.rows is None) == (port.rows is None)
    return rows_agree(port.rows, sql)


def rows_agree(found: list[Row], sql: Outcome) -> bool:
    """Each row in its place; rows of one group in any order."""
    assert sql.rows is not None
    end = min(len(sql.rows), sql.skip + sql.total)
    if len(found) != max(0, end - sql.skip):
        return False
    position = 0
    for group in dict.fromkeys(sql.groups):
        members = [i for i, g in enumerate(sql.groups) if g == group]
        inside = sum(1 for i in members if sql.skip <= i < end)
        candidates = Counter(sql.rows[i] for i in members)
        if Counter(found[position : position + inside]) - candidates:
            return False
        position += inside
    return True
