"""Transactions of a client: what is drawn inside one, and its steps as SQL."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from cases import Drawer, Request
from database import Database
from outcome import Outcome

OK = Outcome()
LOST = "transaction_lost"
_LEVELS = {
    b"RU": "READ UNCOMMITTED",
    b"RC": "READ COMMITTED",
    b"RR": "REPEATABLE READ",
    b"SR": "SERIALIZABLE",
}
_NAMES = [b"a", b"A", b"b", "ä".encode(), "Ä".encode(), b"two words", b"a`b", b"never set"]


@dataclass
class Step(Request):
    """A line of another kind than a request on the table."""

    words: list[bytes] = field(default_factory=list)

    def line(self) -> bytes:
        """The step as it is sent."""
        return b"\t".join(self.words) + b"\n"


class Steps:
    """Carries out steps on the twin's connection, and knows what the connection is in."""

    def __init__(self, sql: Database) -> None:
        self.sql = sql
        self.is_open = self.is_lost = self.reads_only = False

    @property
    def is_begun(self) -> bool:
        """Whether the connection is in a transaction, be it a lost one."""
        return self.is_open or self.is_lost

    def refusal(self, request: Request) -> str:
        """What the port answers to a request on the table without executing it."""
        if self.is_lost:
            return LOST
        if self.is_open and request.writes and self.reads_only:
            return "readonly"
        if self.is_open and request.writes and request.spec.table.engine != "InnoDB":
            return "unsupported_table"
        return ""

    def perform(self, step: Step) -> Outcome:
        """The outcome of the step in SQL."""
        verb, *rest = step.words
        if self.is_lost:
            ends = step.words in ([b"T", b"C"], [b"T", b"R"])
            self.is_lost = not ends
            return OK if step.words == [b"T", b"R"] else Outcome(error=LOST)
        if verb == b"P":
            return OK
        if rest[0] == b"B":
            return self._begin(rest[1:])
        if not self.is_open:
            return Outcome(error="no_transaction")
        if rest[0] in (b"C", b"R"):
            self.is_open = False
            self.sql("COMMIT" if rest[0] == b"C" else "ROLLBACK")
            return OK
        if len(rest) < 2 or not rest[1]:
            return Outcome(error="missing_value")
        name = rest[1].decode().replace("`", "``")
        self.sql(f"SAVEPOINT `{name}`" if rest[0] == b"S" else f"ROLLBACK TO SAVEPOINT `{name}`")
        return OK

    def _begin(self, options: list[bytes]) -> Outcome:
        if self.is_open:
            return Outcome(error="in_transaction")
        if b"XX" in options:
            self.is_lost = True
            return Outcome(error="fldnum")
        for option in options:
            if option in _LEVELS:
                self.sql(f"SET TRANSACTION ISOLATION LEVEL {_LEVELS[option]}")
        self.reads_only = b"RO" in options
        self.sql("START TRANSACTION")
        self.is_open = True
        return OK

    def abandon(self) -> None:
        """Ends what is open."""
        self.is_open = self.is_lost = False
        self.sql("ROLLBACK")


def draw(drawer: Drawer, rng: Random) -> tuple[list[list[Request]], bool]:
    """A transaction in the pieces in which it is sent, and whether it is for the read port."""
    spec = drawer.specs[5]

    def step(*words: bytes) -> Step:
        return Step(spec, "T", words=[b"T", *words])

    begin = [b"B", *rng.choice([[], [b"RU"], [b"RC"], [b"RR"], [b"SR"]])]
    reads_only = rng.random() < 0.12
    if reads_only:
        begin.append(b"RO")
    if rng.random() < 0.02:
        begin.append(b"XX")
    steps: list[Request] = [step(*begin)]
    # Aria refuses a savepoint once it has a part in the transaction. When that is, differs.
    savepoints = 0 if drawer.table.engine == "Aria" else 13
    for _ in range(rng.randint(1, 9)):
        kind = rng.choices(["request", "S", "U", "other"], [70, savepoints, savepoints, 4])[0]
        if kind == "request":
            steps.append(_request(drawer, rng))
        elif kind == "other":
            # The read port refuses any other begin first.
            again = step(b"B", b"RO") if reads_only else step(b"B")
            odd: list[Request] = [again, step(b"S"), step(b"S", b""), Step(spec, "T", words=spec.line()[:-1].split(b"\t"))]
            steps.append(rng.choice(odd))
        else:
            steps.append(step(kind.encode(), rng.choice(_NAMES)))
    steps.append(step(rng.choice([b"C", b"C", b"R"])))
    if rng.random() < 0.05:
        steps.append(rng.choice([step(b"C"), step(b"R"), step(b"S", b"a"), step(b"U", b"a")]))
    pieces: list[list[Request]] = [[]]
    for one in steps:
        if pieces[-1] and rng.random() < 0.15:
            pieces.append([])
        pieces[-1].append(one)
    return pieces, reads_only and rng.random() < 0.6


def _request(drawer: Drawer, rng: Random) -> Request:
    """Half of them insert or change one row, so that later ones meet what was done before."""
    while True:
        drawn = drawer.insert(0.05) if rng.random() < 0.3 else drawer.draw()
        if drawer.table.primary is not None or drawn.action in ("find", "insert"):
            return drawn
