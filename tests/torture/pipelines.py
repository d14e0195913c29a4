"""What wild clients send: pipelines of mixed requests, mostly on a few rows of all tables."""

from __future__ import annotations

from fuzz_requests import BEGINS, STEPS, Generator, Opened
from fuzz_tables import Table
from wild_tables import DATABASE, UNLOGGED

IDS = 6  # index ids of a connection; more than are open
KEYS = [b"%d" % key for key in range(14)]
# Columns that only DDL adds, and names that are never there.
PASSING = ["x1", "x2", "v2"]
WRONG = ["nosuch", "", "ID", "id ", "g%", "\u00fc", "x" * 300]


class Pipelines(Generator):
    """Draws what one connection sends, pipeline by pipeline. `opened` belongs to the connection: the
    indexes that it would have open if every P succeeded."""

    def __init__(self, seed: str, tables: list[Table], writes: bool) -> None:
        super().__init__(seed, tables)
        self.writes = writes
        self._opened: list[Opened] = []
        self._transacts = self.random.random() < 0.4
        self._in_transaction = False

    def pipeline(self) -> bytes:
        """One pipeline. The number of LFs is the number of requests."""
        rng = self.random
        lines: list[bytes] = []
        if not self._opened:
            lines += [self._open(id_, self.writes, self._opened) for id_ in range(IDS)]
        for _ in range(rng.choice((1, 1, 2, 3, 3, 6, 20))):
            id_ = rng.randrange(len(self._opened))
            if rng.random() < 0.12:
                lines += [self._open(id_, self.writes, self._opened)] * rng.choice((1, 1, 2))
            else:
                lines.append(self._request(id_, self._opened[id_]))
        if self._transacts:
            lines = self._transaction(lines)
        if rng.random() < 0.05:
            lines = [self._damaged(line) if rng.random() < 0.3 else line for line in lines]
        data = b"".join(line + b"\n" for line in lines)
        return self._damaged_bytes(data) if rng.random() < 0.01 else data

    def _transaction(self, lines: list[bytes]) -> list[bytes]:
        """The lines in a transaction, which begins or goes on here, and may last."""
        rng = self.random
        if not self._in_transaction:
            if rng.random() < 0.4:
                return lines
            lines = [rng.choice(BEGINS if self.writes else BEGINS[-1:]), *lines]
            self._in_transaction = True
        for _ in range(rng.choice((0, 0, 1, 2))):
            lines.insert(rng.randrange(len(lines)) + 1, rng.choice(STEPS))
        if rng.random() < 0.7:
            lines.append(rng.choice((b"T\tC", b"T\tC", b"T\tR")))
            self._in_transaction = False
        return lines

    def where(self, request: bytes) -> str:
        """The table of a request, as far as it is known now."""
        id_ = request.split(b"\t")[0]
        known = id_.isdigit() and int(id_) < len(self._opened)
        return self._opened[int(id_)].table.name if known else "nothing"

    def _open(self, id_: int, writes: bool, opened: list[Opened]) -> bytes:
        rng = self.random
        table = rng.choice(self._tables)
        database, name = DATABASE, table.name
        if "." in name:
            database, name = name.split(".")
        index = rng.choice(list(table.indexes) or ["PRIMARY"])
        usual = [column for column in ("id", "v", "w") if column in table.columns] or table.columns
        columns = rng.choices(table.columns, k=2) if rng.random() < 0.2 else list(usual)
        columns = columns[: rng.randint(1, len(columns))]
        filters = list(usual)
        meaning = Opened(table, table.indexes.get(index, 1), columns, len(filters), writes)
        wrong = rng.random()
        if wrong < 0.08:
            columns = [*columns, rng.choice(PASSING + WRONG)]
        elif wrong < 0.11:
            index = rng.choice([*WRONG, "0", "1", "2", "9"])
        elif wrong < 0.14:
            name = rng.choice([*WRONG, "viewed", "numbers", f"{name}_away"])
        elif wrong < 0.15:
            database = rng.choice(["mysql", "nosuch", "", "information_schema"])
        elif wrong < 0.20:
            meaning.columns = columns = [*columns, rng.choice(PASSING)]
        elif wrong < 0.25:
            index = "k_x"
        opened[id_ : id_ + 1] = [meaning]
        tokens = ["P", str(id_), database, name, index, ",".join(columns), ",".join(filters)]
        return "\t".join(tokens).encode()

    def _values(self, count: int) -> list[bytes]:
        rng = self.random
        values = [rng.choice(KEYS) for _ in range(count)]
        if rng.random() < 0.06:
            values[-1] = super()._values(1)[0]
        return values
