"""What clients of Redis and memcached are told when what their account may do changes, and tables are
mapped otherwise, while they send commands that share batches with those of another account."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Union

import pytest
from memcached_client import answer, packet
from private_server import PrivateServer, free_port
from resp_client import RespError
from test_memcached_accounts import TlsRaw
from test_resp_accounts import TlsResp
from test_tls import Certificates, certificates, context  # noqa: F401

SEEN_WITHIN_S = 60
# docs/operations.md: what is taken away takes effect within a second.
TAKES_EFFECT_WITHIN_S = 1
STEADY, CHANGING = "steady", "changing"
NOPERM, NOTHING = "NOPERM", "nothing"


@pytest.fixture(scope="module")
def guarded(certificates: Certificates) -> Iterator[PrivateServer]:  # noqa: F811
    """A server with one write thread, so that the requests of all accounts share their batches."""
    with PrivateServer(
        variables={
            "handlersocket_resp_port": free_port(),
            "handlersocket_memcached_port": free_port(),
            "handlersocket_authentication_wr": "account",
            "handlersocket_threads_wr": 1,
            **certificates.variables("server"),
        }
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.person (id INT PRIMARY KEY, name VARCHAR(20), pay VARCHAR(20), n INT DEFAULT 0)")
        running.sql("INSERT INTO hs.person VALUES (1, 'ann', 'much', 0), (2, 'bea', 'little', 0)")
        running.sql("CREATE ROLE looking")
        running.sql("GRANT SELECT ON hs.person TO looking")
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture
def accounts(guarded: PrivateServer) -> Iterator[None]:
    """Two accounts, of which one may do everything, and the usual mapping."""
    for user in (STEADY, CHANGING):
        guarded.sql(f"CREATE USER {user} IDENTIFIED BY 'secret'")
    guarded.sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON hs.person TO {STEADY}")
    guarded.sql("ALTER TABLE hs.person COMMENT 'hs: name=person value=name'")
    yield
    guarded.sql(f"DROP USER IF EXISTS {STEADY}, {CHANGING}")


Look = Callable[[], "set[str]"]


class OfRedis:
    """A connection to the port of Redis."""

    COMMANDS: Sequence[Sequence[str]] = (
        ("GET", "person:1"), ("MGET", "person:1", "none:1", "person:1"), ("MULTI",), ("GET", "person:1"), ("EXEC",),
    )  # fmt: skip

    def __init__(self, port: int, certificates: Certificates, user: str) -> None:  # noqa: F811
        self.client = TlsResp(port, context(certificates), user)

    def look(self) -> set[str]:
        """What the rows of a pipeline are, each by its own."""
        get, mget, _, _, block = self.client.pipeline(self.COMMANDS)
        found = [get, *(mget[::2] if isinstance(mget, list) else [mget]), *block]
        return {self.name(one) for one in found}

    @staticmethod
    def name(reply: Union[bytes, RespError, None]) -> str:
        if reply is None:
            return NOTHING
        return reply.decode() if isinstance(reply, bytes) else str(reply).split(" ", maxsplit=1)[0]


class OfMemcached:
    """A connection to the port of memcached."""

    def __init__(self, port: int, certificates: Certificates, user: str) -> None:  # noqa: F811
        self.client = TlsRaw(port, context(certificates))
        self.client.send(packet(0x21, b"PLAIN", b"", b"\0" + user.encode() + b"\0secret"))
        assert answer(self.client)[0] == 0
        self.file = self.client.socket.makefile("rb")

    def look(self) -> set[str]:
        self.client.send(b"get person:1 none:1 person:1\r\nmn\r\n")
        found = []
        while (line := self.file.readline()) != b"MN\r\n":
            assert line
            if line.startswith(b"VALUE "):
                found.append(self.file.readline().decode().strip())
            elif line.startswith(b"SERVER_ERROR the account has no privilege"):
                found.append(NOPERM)
            else:
                assert line == b"END\r\n"
        return set(found) or {NOTHING}


class Load:
    """Clients of both accounts on both ports, which look without a pause. Each keeps what it has seen."""

    def __init__(self, server: PrivateServer, certificates: Certificates) -> None:  # noqa: F811
        ports = [int(server.sql(f"SELECT @@handlersocket_{name}_port")[0][0]) for name in ("resp", "memcached")]
        self.seen: dict[str, set[str]] = {STEADY: set(), CHANGING: set()}
        self.looks: list[tuple[str, Look]] = []
        self.latest: dict[int, set[str]] = {}
        self._begun_at: dict[int, list[tuple[float, set[str]]]] = {}  # each look, and what it has found
        self._errors: list[BaseException] = []
        self._stop = threading.Event()
        self._mutex = threading.Lock()
        for user in (STEADY, CHANGING):
            self.looks.append((user, OfRedis(ports[0], certificates, user).look))
            self.looks.append((user, OfMemcached(ports[1], certificates, user).look))
        self._threads = [threading.Thread(target=self._run, args=(i,)) for i in range(len(self.looks))]

    def _run(self, number: int) -> None:
        user, look = self.looks[number]
        try:
            while not self._stop.is_set():
                begun_at = time.monotonic()
                found = look()
                with self._mutex:
                    self.seen[user] |= found
                    self.latest[number] = found
                    self._begun_at.setdefault(number, []).append((begun_at, found))
        except BaseException as error:  # pylint: disable=broad-exception-caught
            self._errors.append(error)

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert not self._errors, self._errors

    def await_all(self, user: str, wanted: set[str]) -> None:
        """Until every connection of the account has seen just this."""
        numbers = [i for i, (of, _) in enumerate(self.looks) if of == user]
        until = time.monotonic() + SEEN_WITHIN_S
        while True:
            with self._mutex:
                if all(self.latest.get(i) == wanted for i in numbers):
                    return
                assert not self._errors, self._errors
                assert time.monotonic() < until, self.latest
            time.sleep(0.01)

    def seen_after(self, user: str, moment: float) -> set[str]:
        """What is seen by looks that begin after this moment, of which each connection of the account has many."""
        numbers = [i for i, (of, _) in enumerate(self.looks) if of == user]
        until = time.monotonic() + SEEN_WITHIN_S
        while True:
            with self._mutex:
                looks = [[found for at, found in self._begun_at.get(i, ()) if at > moment] for i in numbers]
            if min(map(len, looks)) >= 20:
                return {one for found in looks for each in found for one in each}
            assert not self._errors, self._errors
            assert time.monotonic() < until
            time.sleep(0.01)


# What is granted, what takes it away, and what is told behind it.
TAKEN_AWAY = {
    "table": ("GRANT SELECT ON hs.person TO changing", "REVOKE SELECT ON hs.person FROM changing", NOTHING),
    "database": ("GRANT SELECT ON hs.* TO changing", "REVOKE SELECT ON hs.* FROM changing", NOTHING),
    "global": ("GRANT SELECT ON *.* TO changing", "REVOKE SELECT ON *.* FROM changing", NOTHING),
    "column": (
        "GRANT SELECT (id, name, n) ON hs.person TO changing", "REVOKE SELECT (name) ON hs.person FROM changing", NOPERM,
    ),
    "another": (
        "GRANT SELECT, INSERT ON hs.person TO changing", "REVOKE SELECT ON hs.person FROM changing", NOPERM,
    ),
    "role": ("GRANT looking TO changing", "REVOKE looking FROM changing", NOTHING),
    "account": ("GRANT SELECT ON hs.person TO changing", "DROP USER changing", NOTHING),
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(TAKEN_AWAY))
def test_what_is_taken_away_is_shown_no_more_and_others_see_as_before(
    guarded: PrivateServer, certificates: Certificates, accounts: None, what: str  # noqa: F811
) -> None:
    grant, revoke, told = TAKEN_AWAY[what]
    guarded.sql(grant)
    if what == "role":
        guarded.sql("SET DEFAULT ROLE looking FOR changing")
    with Load(guarded, certificates) as load:
        load.await_all(CHANGING, {"ann"})
        guarded.sql(revoke)
        assert load.seen_after(CHANGING, time.monotonic() + TAKES_EFFECT_WITHIN_S) == {told}
        load.await_all(STEADY, {"ann"})
    assert load.seen[STEADY] == {"ann"}


@pytest.mark.parametrize(
    "change", ["ACCOUNT LOCK", "IDENTIFIED BY 'another'", "PASSWORD EXPIRE"]
)
def test_what_keeps_new_logins_out_leaves_open_connections_alone(
    guarded: PrivateServer, certificates: Certificates, accounts: None, change: str  # noqa: F811
) -> None:
    guarded.sql("GRANT SELECT ON hs.person TO changing")
    with Load(guarded, certificates) as load:
        load.await_all(CHANGING, {"ann"})
        guarded.sql(f"ALTER USER changing {change}")
        assert load.seen_after(CHANGING, time.monotonic() + TAKES_EFFECT_WITHIN_S) == {"ann"}
        with pytest.raises(AssertionError):
            TlsResp(int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates), CHANGING)


def test_a_mapping_that_changes_shows_what_it_says_now_and_no_column_that_is_denied(
    guarded: PrivateServer, certificates: Certificates, accounts: None  # noqa: F811
) -> None:
    guarded.sql("GRANT SELECT (id, name) ON hs.person TO changing")
    comments = {
        "hs: name=person value=name": ("ann", "ann"),
        "hs: name=person value=pay": ("much", NOPERM),
        "hs: name=person value=name,pay": ("ann|much", NOPERM),
        "hs: name=other value=pay": (NOTHING, NOTHING),
        "": (NOTHING, NOTHING),
    }
    with Load(guarded, certificates) as load:
        for _ in range(3):
            for comment, told in comments.items():
                guarded.sql(f"ALTER TABLE hs.person COMMENT '{comment}'")
                altered_at = time.monotonic()
                for user, wanted in zip((STEADY, CHANGING), told):
                    assert load.seen_after(user, altered_at) == {wanted}, comment
    assert load.seen[CHANGING] <= {"ann", NOPERM, NOTHING}


def test_a_table_that_an_account_may_not_see_is_as_none(
    guarded: PrivateServer, certificates: Certificates, accounts: None  # noqa: F811
) -> None:
    resp, memcached = (int(guarded.sql(f"SELECT @@handlersocket_{name}_port")[0][0]) for name in ("resp", "memcached"))
    tls = context(certificates)
    commands = (
        "GET K", "MGET K K", "SET K 1", "SET K 1 NX", "SET K 1 XX", "SETNX K 1", "GETDEL K", "DEL K", "EXISTS K", "TYPE K",
        "STRLEN K", "GETRANGE K 0 -1", "APPEND K 1", "INCR K", "HGET K name", "HGETALL K", "HSET K name x", "HDEL K pay",
        "HINCRBY K n 1", "TTL K", "EXPIRE K 9", "PERSIST K", "WATCH K", "UNWATCH", "MULTI", "GET K", "SET K 1", "DEL K", "EXEC",
        "OBJECT ENCODING K", "MEMORY USAGE K", "HSCAN K 0", "ZRANGE K 0 -1", "ZSCORE K 1", "MSET K 1",
    )  # fmt: skip
    lines = (
        b"get K", b"gets K K", b"mg K v", b"me K", b"md K", b"ma K", b"delete K", b"touch K 0", b"incr K 1", b"gat 0 K",
        b"set K 0 0 1\r\n1", b"add K 0 0 1\r\n1", b"replace K 0 0 1\r\n1", b"append K 0 0 1\r\n1", b"cas K 0 0 1 1\r\n1",
        b"ms K 1\r\n1", b"get @@K",
    )  # fmt: skip
    with ExitStack() as stack:
        # So that the server knows the table, and has it open.
        sees = stack.enter_context(TlsResp(resp, tls, STEADY))
        blind = stack.enter_context(TlsResp(resp, tls, CHANGING))
        assert sees("GET", "person:1") == b"ann"

        def told(key: str) -> list[str]:
            replies = [blind(*command.replace("K", key).split(" ")) for command in commands]
            return [str(reply).replace(key, "K") for reply in replies]

        assert sees("GET", "person:1") == b"ann"
        assert told("person:1") == told("absent:1")

        def told_by_memcached(key: bytes) -> list[bytes]:
            client = TlsRaw(memcached, tls)
            client.send(packet(0x21, b"PLAIN", b"", b"\0" + CHANGING.encode() + b"\0secret"))
            assert answer(client)[0] == 0
            return [client.line(line.replace(b"K", key) + b"\r\n").replace(key, b"K") for line in lines]

        assert told_by_memcached(b"person:1") == told_by_memcached(b"absent:1")
        assert blind("SCAN", "0") == [b"0", []]
    assert guarded.sql("SELECT * FROM hs.person") == [(1, "ann", "much", 0), (2, "bea", "little", 0)]
