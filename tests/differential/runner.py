"""Runs drawn tables against a server: each request through the port and as SQL, then compares."""

from __future__ import annotations

import time
from random import Random

from hs_client import Client
from private_server import PrivateServer

import dump
import tables
import transactions
from allowed import KNOWN_OPEN, allowed, key_is_debatable
from cases import Drawer, Request
from columns import Family
from database import Database, SqlError
from oracle import Oracle
from outcome import Outcome, Row, agree, parse
from ports_client import PortPair
from report import Failure, Tally, differences, signature_of
from round_trip import may_change, write_back
from schema import Table

STRICT = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
MODES = [STRICT] * 6 + [
    "",
    "",
    "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE",
    "TRADITIONAL,NO_AUTO_VALUE_ON_ZERO",
]
REQUESTS = 60  # for each table
TRANSACTIONS = 0.04  # of what is drawn
PARTLY = "C42: what a failed request has changed stays, without transactions"
NO_ROW_EVENTS = "limits.md: history with transaction ids is not written on a server with a binary log"
NEARLY = "a key that nearly fits"
SERVER_GONE = (OSError, EOFError)


class Abandoned(Exception):
    """Ends the work on this table: its rest makes no sense."""


class Runner:
    """Owns the connections; one server for all tables."""

    def __init__(self, server: PrivateServer, seed: int, tally: Tally, raw: bool) -> None:
        self.server = server
        self.seed = seed
        self.tally = tally
        self.raw = raw
        self._connect()

    def _connect(self) -> None:
        socket = str(self.server.socket)
        self.admin = Database(socket)
        for name in ("hs", "tw"):
            self.admin(f"CREATE OR REPLACE DATABASE {name} CHARACTER SET utf8mb4")
        self.hs, self.tw, self.strict = (
            Database(socket, "hs"),
            Database(socket, "tw"),
            Database(socket, "tw"),
        )
        self.dirty = Database(socket, "hs")  # sees what is not committed
        self.dirty("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")
        self.port = PortPair(self.server.port, self.server.port_wr)

    def run_table(self, number: int) -> None:
        """Draws table `number` of the seed and everything that happens to it."""
        rng = Random(f"{self.seed}:{number}")
        self.number, self.case = number, 0
        self.before: dump.Snapshot = {}
        self.earlier: list[tuple[Request, Outcome, Outcome]] = []  # of the same transaction
        self.mode = rng.choice(MODES)
        zone = rng.choice(["+00:00", "+02:00", "-05:30"])
        table = tables.draw(rng, self.raw)
        if not any(i.searchable for i in table.indexes):
            return
        try:
            try:
                self._prepare(table, zone)
            except SqlError as error:
                self.tally.refused += 1
                self.tally.reasons[f"CREATE TABLE refused: {error.number}"] += 1
                return
            self.tally.tables += 1
            self.tally.features.update(table.features)
            self._exercise(Drawer(table, rng), rng)
        except Abandoned:
            pass
        except SERVER_GONE as error:
            self._crashed(table, error)
        except Exception as error:
            if (
                self.server.running
                and "Lost connection" not in str(error)
                and "gone away" not in str(error)
            ):
                raise
            self._crashed(table, error)

    def _prepare(self, table: Table, zone: str) -> None:
        self.admin(f"SET GLOBAL sql_mode = '{self.mode}', GLOBAL time_zone = '{zone}'")
        for connection in (self.admin, self.hs, self.dirty, self.tw):
            connection(f"SET SESSION sql_mode = '{self.mode}', SESSION time_zone = '{zone}'")
        zeros = ",NO_ZERO_DATE,NO_ZERO_IN_DATE" if self.mode.startswith(("TRAD", "STRICT_ALL")) else ""
        self.strict(f"SET SESSION sql_mode = '{STRICT}{zeros}', SESSION time_zone = '{zone}'")
        for name, sql in (("hs", self.hs), ("tw", self.tw)):
            sql(f"DROP TABLE IF EXISTS {name}.ch, {name}.t, {name}.p, {name}.lo")
            for statement in [*table.before, table.ddl, *table.after]:
                sql(statement)
        if table.expires is not None:
            self.hs(f"ALTER TABLE t COMMENT 'hs: ttl={table.expires.name}'")
        self.clock = dump.Clock(self.tw)
        self.oracle = Oracle(self.tw, self.strict, table, self.mode)

    def _exercise(self, drawer: Drawer, rng: Random) -> None:
        table = drawer.table
        self.in_flight: list[Request] = []
        self.port.reconnect()
        replies = self.port.writer.pipeline([s.line() for s in drawer.specs])
        replies += self.port.reader.pipeline([s.line() for s in drawer.specs])
        bad = [r for r in replies if r != b"0\t1"]
        if bad and table.by_transaction:
            self._abandon(NO_ROW_EVENTS)
        if bad:
            self.tally.add(self._failure("open", table, f"open {bad[0]!r}", repr(bad)))
            raise Abandoned
        groups = [[drawer.insert(0.02)] for _ in range(9)]
        for group in groups:
            self._perform(group)
        while self.case < REQUESTS:
            # SQL would wait for a transaction when it deletes rows that have expired.
            if rng.random() < TRANSACTIONS and table.expires is None:
                self._transact(drawer, rng)
                continue
            # The history of such a table has one entry for each transaction, so each request has its own.
            alone = rng.random() < 0.7 or table.by_transaction
            size = 1 if alone else rng.randint(2, 5)
            group = [drawer.draw() for _ in range(size)]
            if table.primary is None:
                group = [r for r in group if r.action in ("find", "insert")]
            if table.expires is not None:
                group = _one_by_one(group)
            found = self._perform(group)
            goes_back = bool(found) and table.expires is None and rng.random() < 0.25
            if goes_back and (back := write_back(group[-1], found, rng)):
                self._round_trip(back)
        problem = dump.check(self.admin, "hs", table)
        if problem and problem.replace("hs.", "") != dump.check(self.admin, "tw", table).replace(
            "tw.", ""
        ):
            self.tally.add(self._failure("check", table, "check", problem))

    def _place(self) -> str:
        return f"--seed {self.seed} --case {self.number} (request {self.case})"

    def _round_trip(self, request: Request) -> None:
        before = self.before
        self._perform([request])
        if self.before != before and not may_change(request):
            changed = differences(self.before, before)
            failure = self._failure("rows", request.spec.table, "round trip", changed)
            failure.requests = [request]
            failure.port = failure.expected = ["not the same rows as before"]
            self.tally.add(failure)

    def _transact(self, drawer: Drawer, rng: Random) -> None:
        """A transaction. Until its end only those see its changes that read what is not committed."""
        pieces, reads = transactions.draw(drawer, rng)
        self.tally.features["transactions"] += 1
        try:
            for piece in pieces:
                self._perform(piece, self.port.reader if reads else self.port.writer)
        except Abandoned:
            self.port.reconnect()
            self.oracle.steps.abandon()
            raise
        finally:
            self.earlier = []

    def _perform(self, group: list[Request], client: Client | None = None) -> list[Row]:
        """Returns the rows of the last request. `client`: the one that a transaction is for."""
        if not group:
            return []
        self.case += len(group)
        self.tally.cases += len(group)
        self.in_flight = group
        for request in group:
            if client or len(group) > 1 or not self.oracle.is_settled(request):
                request.settle()
        writes = any(r.writes for r in group) or self.case % 2
        port = client or (self.port.writer if writes else self.port.reader)
        replies = port.pipeline([r.line() for r in group])
        statements: list[str] = []
        outcomes: list[tuple[Request, Outcome, Outcome]] = []
        problem, partly, nearly = "", False, False
        for request, reply in zip(group, replies):
            port = parse(reply, request.returns_rows)
            _let_expire(self.tw, request.spec.table)
            sql = self.oracle.perform(request)
            statements += self.tw.log
            columns = request.spec.columns
            found = port.rows or []
            if port.rows is not None:
                port.rows = self.clock.mask(columns, port.rows)
            if sql.rows is not None:
                sql.rows = self.clock.mask(columns, sql.rows)
            outcomes.append((request, port, sql))
            if (
                port.failed
                and sql.failed
                and request.action in ("U", "D", "+", "-")
                and request.spec.table.engine != "InnoDB"
                and not self.oracle.steps.is_begun
            ):
                partly = True
            nearly |= request.writes and key_is_debatable(request, self.oracle.probes)
            if not problem and not agree(port, sql):
                if partly:
                    self._abandon(PARTLY)
                if nearly:
                    self._abandon(NEARLY)
                problem = self._judge(request, port, sql)
        differing = ""
        table = group[0].spec.table
        is_open = self.oracle.steps.is_open
        # Mostly, rows that have expired stay and are in the way of others.
        compares = any(r.writes for r in group) and (table.expires is None or self.case % 5 == 0)
        if compares:
            _let_expire(self.hs, table)
            _let_expire(self.tw, table)
            ours = dump.snapshot(self.dirty if is_open else self.hs, "hs", table, self.clock)
            theirs = dump.snapshot(self.tw, "tw", table, self.clock)
            differing = differences(ours, theirs) if ours != theirs else ""
            if is_open and not differing:
                seen = dump.snapshot(self.hs, "hs", table, self.clock)
                differing = differences(seen, self.before) if seen != self.before else ""
            if not problem and differing and nearly:
                self._abandon(NEARLY)
            if not problem and differing and not partly:
                problem = " ".join(
                    sorted({signature_of("rows", *o) for o in outcomes if o[0].writes})
                )
        if problem:
            self._fail_group(problem, differing, outcomes, statements)
        if partly and differing:
            self._abandon(PARTLY)
        if compares and not is_open:
            self.before = theirs
        if client:
            self.earlier += outcomes
        return found

    def _abandon(self, reason: str) -> None:
        self.tally.reasons[reason] += 1
        raise Abandoned

    def _judge(self, request: Request, port: Outcome, sql: Outcome) -> str:
        reason = allowed(request, port, sql, self.oracle.probes)
        if not reason and key_is_debatable(request, self.oracle.probes):
            reason = NEARLY
        if not reason:
            return signature_of("reply", request, port, sql)
        self.tally.reasons[reason] += 1
        if request.writes:
            raise Abandoned  # the two tables may differ from here on
        return ""

    def _fail_group(
        self,
        signature: str,
        differing: str,
        outcomes: list[tuple[Request, Outcome, Outcome]],
        statements: list[str],
    ) -> None:
        kind = "reply" if signature.startswith("reply") else "rows"
        outcomes = self.earlier + outcomes
        failure = self._failure(kind, outcomes[0][0].spec.table, signature, differing)
        failure.requests = [o[0] for o in outcomes]
        failure.port = [str(o[1]) for o in outcomes]
        failure.expected = [str(o[2]) for o in outcomes]
        failure.sql = statements
        for request, port, sql in outcomes:
            for known in KNOWN_OPEN:
                if (not agree(port, sql) or signature.startswith("rows")) and known.matches(
                    request, port, sql, self.oracle.probes
                ):
                    failure.known = known.name
        self.tally.add(failure)
        if any(o[0].writes for o in outcomes):
            raise Abandoned

    def _failure(self, kind: str, table: Table, signature: str, detail: str = "") -> Failure:
        return Failure(
            kind, self._place(), self.mode, table, before=self.before, detail=detail, signature=signature
        )

    def _crashed(self, table: Table, error: Exception) -> None:
        time.sleep(1)
        gone = not self.server.running
        detail = (
            f"{error!r}\n" + "\n".join(_stack(self.server.error_log(this_start_only=True)))
            if gone
            else repr(error)
        )
        kind = "crash" if gone else "hang"
        failure = self._failure(kind, table, kind, detail)
        failure.requests = list(getattr(self, "in_flight", []))
        failure.port = failure.expected = ["?"] * len(failure.requests)
        for known in KNOWN_OPEN:
            if any(
                known.crashes and known.matches(r, Outcome(), Outcome(), self.oracle.probes)
                for r in failure.requests
            ):
                failure.known = known.name
        self.tally.add(failure)
        self.tally.crashes += 1
        self.server.kill9()
        self.server.start()
        self._connect()


def _let_expire(sql: Database, table: Table) -> None:
    """Deletes the rows that have expired."""
    if table.expires is None:
        return
    at = table.expires.quoted
    if table.expires.family is Family.INTEGER:
        sql(f"DELETE FROM t WHERE {at} > 0 AND {at} <= UNIX_TIMESTAMP()")
    else:
        sql(f"DELETE FROM t WHERE {at} <= NOW(6) AND CAST({at} AS CHAR) NOT LIKE '0000-00-00%'")


def _one_by_one(group: list[Request]) -> list[Request]:
    """Changes of one row each: of several, one may expire and give way to the next."""
    for request in group:
        if request.action in ("U", "+", "-"):
            request.limit = 1
    return [r for r in group if r.action not in ("U", "+", "-") or r.in_part is None]


def _stack(log: str) -> list[str]:
    lines = log.splitlines()
    starts = [
        i
        for i, line in enumerate(lines)
        if "got signal" in line or "got exception" in line or "ssertion" in line
    ]
    return lines[starts[0] - 2 : starts[0] + 60] if starts else lines[-15:]
