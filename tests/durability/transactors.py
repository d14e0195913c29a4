"""Clients of transactions (`T`), and what their transactions must leave behind.

A teller moves money between accounts and writes each transfer into a journal. So the journal tells
for each transaction whether it was committed, and what every account must hold. An auditor looks at
the accounts meanwhile. A doctor and a booker each keep a rule that only holds when transactions are
serializable: neither changes a row that another one does, but each decides by rows that others change.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from hs_client import Client, line, rows
from private_server import PrivateServer
from server_files import IS_DEFAULT

ACCOUNTS = 24
MONEY = 1000  # of each account, at first
WARDS = 8
DOCTORS = 3  # of each ward
SLOTS = 40

OK = b"0\t1"
CHANGED = b"0\t1\t1"
LOST = b"1\t1\ttransaction_lost"
# Replies after which a client rolls back.
TRY_AGAIN = {LOST, b"1\t1\t146", b"1\t1\t149", b"1\t1\tlock_tables", b"1\t1\tshutdown", b"1\t1\tinterrupted"}
# The row has changed since the view; only servers with innodb_snapshot_isolation say so.
TRY_AGAIN |= set() if IS_DEFAULT else {b"1\t1\t123"}


class Undone(Exception):
    """The transaction was given up, and the connection is in none."""


class Unsure(Exception):
    """The connection has ended after the commit was sent."""


@dataclass
class Transactor:
    """One client after the other, each of which makes transactions until it is told to stop."""

    number: int
    seed: int
    answered: int = 0  # transactions whose end was answered
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(f"{type(self).__name__}/{self.seed}/{self.number}")

    def run(self, port: int, stop: threading.Event) -> None:
        """Transacts until `stop`, or until the server is gone."""
        try:
            while not stop.is_set():
                with Client(port) as client:
                    self.open(client)
                    while not stop.is_set() and self.random.random() < 0.98:
                        self.transact(client)
                        self.answered += 1
                    if self.random.random() < 0.5:  # leaves a transaction behind
                        self.begin(client)
        except (EOFError, ConnectionError, Unsure):
            pass
        except Exception as error:  # the thread's, so that the test sees it
            self.wrong.append(repr(error))

    def open(self, client: Client) -> None:
        """Opens the indexes."""
        raise NotImplementedError

    def begin(self, client: Client) -> None:
        """Begins a transaction, and does some of it."""
        raise NotImplementedError

    def transact(self, client: Client) -> None:
        """Makes one transaction."""
        raise NotImplementedError

    def expect(self, client: Client, requests: Sequence[bytes], *replies: bytes) -> list[bytes]:
        """Sends requests in one go. Rolls back, and raises Undone, if one of the replies is none of
        `replies`, but one that any transaction may get."""
        got = client.pipeline(requests)
        if any(reply in TRY_AGAIN for reply in got):
            self.check([reply for reply in got if reply not in TRY_AGAIN], replies)
            self.check(client.pipeline([line("T", "R")]), [OK])
            raise Undone
        self.check(got, replies)
        return got

    def check(self, got: Sequence[bytes], replies: Sequence[bytes]) -> None:
        """Complains of a reply that begins with none of `replies`."""
        self.wrong += [f"{reply!r}" for reply in got if not reply.startswith(tuple(replies))]

    def commit(self, client: Client) -> None:
        """Ends a transaction. Raises Undone if it was rolled back, or Unsure."""
        try:
            reply = client.request("T", "C")
        except (EOFError, ConnectionError) as error:
            raise Unsure from error
        if reply in TRY_AGAIN:
            raise Undone
        self.check([reply], [OK])


Transfer = tuple[int, int, int]  # source, target, amount


@dataclass
class Teller(Transactor):
    """Transfers money. Between runs, check() compares the journal with what was answered."""

    transfers: list[Transfer] = field(default_factory=list)
    committed: set[int] = field(default_factory=set)  # transfers that were acknowledged
    unsure: set[int] = field(default_factory=set)  # whose commit was sent and not answered

    def open(self, client: Client) -> None:
        client.open("hs.account", ["id", "money"], id=1)
        client.open("hs.journal", ["teller", "number", "source", "target", "amount"], id=2)

    def begin(self, client: Client) -> None:
        client.pipeline([line("T", "B"), _add(self.number % ACCOUNTS + 1, 7)])

    def transact(self, client: Client) -> None:
        source, target = self.random.sample(range(1, ACCOUNTS + 1), 2)
        transfer = source, target, self.random.randint(1, 50)
        number = len(self.transfers)
        self.transfers.append(transfer)
        journal = line(2, "+", 5, self.number, number, *transfer)
        try:
            if self.random.random() < 0.5:
                self._add(client, transfer, journal)
            else:
                self._set(client, transfer, journal)
            if self.random.random() < 0.1:
                self.check(client.pipeline([line("T", "R")]), [OK])
                return
            self.commit(client)
            self.committed.add(number)
        except Undone:
            pass
        except Unsure:
            self.unsure.add(number)
            raise

    def _add(self, client: Client, transfer: Transfer, journal: bytes) -> None:
        """Adds to both accounts, and undoes something else."""
        source, target, amount = transfer
        level = self.random.choice(["RC", "RR", "SR"])
        other = self.random.randint(1, ACCOUNTS)
        undone = [line("T", "S", "here"), _add(other, 500), line("T", "U", "here")]
        requests = [line("T", "B", level), journal, _add(source, -amount), _add(target, amount)]
        if self.random.random() < 0.3:
            requests[2:2] = undone
        self.expect(client, requests, OK)

    def _set(self, client: Client, transfer: Transfer, journal: bytes) -> None:
        """Sets both accounts to what it makes of what it has read."""
        source, target, amount = transfer
        requests = [line("T", "B", "SR"), line(1, "=", 1, source), line(1, "=", 1, target), journal]
        replies = self.expect(client, requests, OK, b"0\t2\t")
        has, gets = (int(rows(reply)[0][1] or 0) for reply in replies[1:3])
        self.expect(client, [_set(source, has - amount), _set(target, gets + amount)], CHANGED)

    def check_journal(self, journal: dict[int, Transfer]) -> None:
        """What was acknowledged is there, and nothing else but what may be."""
        assert not self.wrong, self.wrong[:3]
        assert self.committed <= journal.keys(), f"lost: {self.committed - journal.keys()}"
        more = journal.keys() - self.committed - self.unsure
        assert not more, f"never committed: {more}"
        for number, transfer in journal.items():
            assert self.transfers[number] == transfer
        self.committed = set(journal)
        self.unsure.clear()


def _add(account: int, amount: int) -> bytes:
    return line(1, "=", 1, account, 1, 0, "+", 0, amount)


def _set(account: int, money: int) -> bytes:
    return line(1, "=", 1, account, 1, 0, "U", account, money)


@dataclass
class Auditor(Transactor):
    """Looks at the accounts: whatever is under way, a view of the data has all of the money."""

    single: bool = True  # also by one request, which locks the rows on the write port

    def open(self, client: Client) -> None:
        client.open("hs.account", ["id", "money"], id=1)

    def begin(self, client: Client) -> None:
        client.pipeline([line("T", "B", "RO"), line(1, "=", 1, 1)])

    def transact(self, client: Client) -> None:
        finds = [line(1, "=", 1, account) for account in range(1, ACCOUNTS + 1)]
        money = 0
        if self.single and self.random.random() < 0.3:  # one request is one view
            replies = client.pipeline([line(1, ">=", 1, 0, 1000, 0)])
            money = sum(int(row[1] or 0) for row in rows(replies[0]))
        else:
            self.check(client.pipeline([line("T", "B", "RR", "RO")]), [OK])
            while finds:
                count = self.random.randint(1, 10)
                for reply in client.pipeline(finds[:count]):
                    money += int(rows(reply)[0][1] or 0)
                del finds[:count]
            self.check(client.pipeline([line("T", "C")]), [OK])
        if money != ACCOUNTS * MONEY:
            self.wrong.append(f"a view has {money}")


def create_bank(server: PrivateServer) -> None:
    """The accounts, and the journal of what was done with them."""
    server.sql("CREATE DATABASE hs CHARACTER SET utf8mb4")
    server.sql("CREATE TABLE hs.account (id INT PRIMARY KEY, money BIGINT NOT NULL)")
    server.sql(f"INSERT INTO hs.account SELECT seq, {MONEY} FROM hs.seq_1_to_{ACCOUNTS}")
    server.sql(
        "CREATE TABLE hs.journal (teller INT, number INT, source INT NOT NULL, target INT NOT NULL,"
        " amount INT NOT NULL, PRIMARY KEY (teller, number))"
    )


def check_bank(server: PrivateServer, tellers: Sequence[Teller]) -> None:
    """Every account holds what the journal says, and the journal has what was acknowledged."""
    journals: dict[int, dict[int, Transfer]] = {teller.number: {} for teller in tellers}
    money = dict.fromkeys(range(1, ACCOUNTS + 1), MONEY)
    for teller, number, *transfer in server.sql("SELECT * FROM hs.journal"):
        source, target, amount = transfer
        journals[teller][number] = source, target, amount
        money[source] -= amount
        money[target] += amount
    held = dict(server.sql("SELECT id, money FROM hs.account"))
    # Again: a difference that lasts is in the rows, one that does not was in the view.
    again = dict(server.sql("SELECT id, money FROM hs.account"))
    wrong = {
        account: (held[account], again[account], due)
        for account, due in money.items()
        if held[account] != due
    }
    assert not wrong, f"held, held a moment later, due: {wrong}; in all {sum(held.values())}"
    for one in tellers:
        one.check_journal(journals[one.number])


@dataclass
class Doctor(Transactor):
    """Goes off duty when another doctor of the ward is on duty, or else on duty."""

    def open(self, client: Client) -> None:
        client.open("hs.doctor", ["ward", "id", "on_duty"], id=1)

    def begin(self, client: Client) -> None:
        client.pipeline([line("T", "B"), self._duty(0, 0)])

    def transact(self, client: Client) -> None:
        ward = self.random.randrange(WARDS)
        try:
            look = [line("T", "B", "SR"), line(1, "=", 1, ward, DOCTORS, 0)]
            _, found = self.expect(client, look, OK, b"0\t3\t")
            on_duty = {int(row[1] or 0) for row in rows(found) if row[2] == b"1"}
            if not on_duty:
                self.wrong.append(f"no doctor is on duty in ward {ward}")
            me = self.number % DOCTORS
            self.expect(client, [self._duty(ward, int(not on_duty - {me}))], OK)
            self.commit(client)
        except Undone:
            pass

    def _duty(self, ward: int, on_duty: int) -> bytes:
        me = self.number % DOCTORS
        return line(1, "=", 2, ward, me, 1, 0, "U", ward, me, on_duty)


@dataclass
class Booker(Transactor):
    """Books a slot that it counts no booking of, or else gives its own booking back."""

    def open(self, client: Client) -> None:
        client.open("hs.booking", ["slot", "booker"], index="slot", id=1)

    def begin(self, client: Client) -> None:
        client.pipeline([line("T", "B", "SR"), line(1, "=", 1, 1, 0, 0, "C")])

    def transact(self, client: Client) -> None:
        slot = 2 * self.random.randrange(SLOTS)
        try:
            look = [line("T", "B", "SR"), line(1, "=", 1, slot, 0, 0, "C")]
            _, count = self.expect(client, look, OK)
            change = line(1, "=", 2, slot, self.number, 1, 0, "D")
            if count == b"0\t1\t0":
                change = line(1, "+", 2, slot, self.number)
            self.expect(client, [change], OK)
            self.commit(client)
        except Undone:
            pass


def create_hospital(server: PrivateServer) -> None:
    """All doctors are on duty, and no slot is booked: those are the even ones. A row between two of them
    parts their gaps. In one gap an INSERT of InnoDB may never have its turn (with SQL alone: 18 s with an
    innodb_lock_wait_timeout of 2): each lock for reading that others get meanwhile begins its wait anew."""
    server.sql("CREATE DATABASE hs CHARACTER SET utf8mb4")
    server.sql(
        "CREATE TABLE hs.doctor (ward INT, id INT, on_duty INT NOT NULL, PRIMARY KEY (ward, id))"
    )
    doctors = ", ".join(f"({ward}, {id_}, 1)" for ward in range(WARDS) for id_ in range(DOCTORS))
    server.sql(f"INSERT INTO hs.doctor VALUES {doctors}")
    server.sql(
        "CREATE TABLE hs.booking (id INT AUTO_INCREMENT PRIMARY KEY, slot INT, booker INT,"
        " KEY slot (slot, booker))"
    )
    fences = ", ".join(f"({2 * slot - 1}, -1)" for slot in range(SLOTS + 1))
    server.sql(f"INSERT INTO hs.booking (slot, booker) VALUES {fences}")


def check_hospital(server: PrivateServer, clients: Sequence[Transactor]) -> None:
    """Every ward has a doctor on duty, and no slot was booked twice."""
    wrong = [f"{client}: {sentence}" for client in clients for sentence in client.wrong]
    assert not wrong, wrong[:3]
    assert server.sql("SELECT ward FROM hs.doctor GROUP BY ward HAVING SUM(on_duty) = 0") == []
    assert server.sql("SELECT slot FROM hs.booking GROUP BY slot HAVING COUNT(*) > 1") == []
