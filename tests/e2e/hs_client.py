"""A plain client for the tests: sends lines, reads lines, escapes and unescapes values.

It hides nothing: a test sees each reply line as the server sent it.
"""

from __future__ import annotations

import hashlib
import select
import socket
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType

import ed25519
import pymysql
import server_files
from private_server import PrivateServer

Value = bytes | str | int | None

NULL = b"\0"
ER_NO_SUCH_THREAD = 1094


def encode(value: Value) -> bytes:
    """One token for a value; None is NULL."""
    if value is None:
        return NULL
    raw = value if isinstance(value, bytes) else str(value).encode()
    return b"".join(bytes((1, b + 0x40)) if b < 0x10 else bytes((b,)) for b in raw)


def decode(token: bytes) -> bytes | None:
    """The value of a token."""
    if token == NULL:
        return None
    out = bytearray()
    position = 0
    while position < len(token):
        if token[position] == 1:
            out.append(token[position + 1] - 0x40)
            position += 2
        else:
            out.append(token[position])
            position += 1
    return bytes(out)


def line(*tokens: Value) -> bytes:
    """One request line of tokens that are escaped as values are."""
    return b"\t".join(encode(token) for token in tokens) + b"\n"


def native_response(challenge: bytes, password: str) -> str:
    """The answer that mysql_native_password wants, in hexadecimal."""
    if not password:
        return ""
    once = hashlib.sha1(password.encode()).digest()
    twice = hashlib.sha1(once).digest()
    key = hashlib.sha1(challenge + twice).digest()
    return bytes(a ^ b for a, b in zip(once, key)).hex()


class Client:
    """One connection. Every call that reads fails after `timeout_s` instead of hanging."""

    def __init__(self, port: int, timeout_s: float = 60, source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(
            ("127.0.0.1", port), timeout=timeout_s, source_address=(source, 0)
        )
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()

    @classmethod
    def local(cls, path: object, timeout_s: float = 60) -> Client:
        """A connection to a Unix socket."""
        made = cls.__new__(cls)
        made.socket = socket.socket(socket.AF_UNIX)
        made.socket.settimeout(timeout_s)
        made.socket.connect(str(path))
        made._received = bytearray()
        return made

    def log_in(self, user: str, password: str, *methods: str) -> bytes:
        """Logs in by challenges, and returns the last reply. Without `methods` the client takes
        what it gets. On MySQL it is the password itself."""
        self.prepare_login()
        if server_files.is_mysql(server_files.SERVER_ROOT):
            return self.request("A", 4, user, password)
        reply = self.request("A", 2, user, *([",".join(methods)] if methods else []))
        while reply.startswith(b"0\t2\t"):
            _, _, method, challenge = reply.decode().split("\t")
            respond = {"mysql_native_password": native_response, "ed25519": ed25519.response}[method]
            reply = self.request("A", 3, respond(bytes.fromhex(challenge), password))
        return reply

    def prepare_login(self) -> None:
        """To be called before the first request, if there is one before log_in(): MySQL lets no one in
        over a connection in clear."""
        if server_files.is_mysql(server_files.SERVER_ROOT):
            self.begin_tls()

    def begin_tls(self) -> None:
        """What follows goes over TLS, by any certificate; a Unix socket stays as it is."""
        if self.socket.family == socket.AF_UNIX or isinstance(self.socket, ssl.SSLSocket):
            return
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.socket = context.wrap_socket(self.socket)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drops the connection."""
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Sends bytes as they are."""
        self.socket.sendall(data)

    def read_line(self) -> bytes:
        """The next reply line without its LF. Raises EOFError when the server has closed."""
        while (end := self._received.find(b"\n")) < 0:
            chunk = self.socket.recv(1 << 16)
            if not chunk:
                raise EOFError(f"closed by the server; unread: {bytes(self._received)!r}")
            self._received += chunk
        reply = bytes(self._received[:end])
        del self._received[: end + 1]
        return reply

    def at_eof(self) -> bool:
        """Waits for the server's next byte or EOF; True when it is EOF."""
        if self._received:
            return False
        try:
            chunk = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return True
        self._received += chunk
        return not chunk

    def request(self, *tokens: Value) -> bytes:
        """One request of escaped tokens and its raw reply line."""
        self.send(line(*tokens))
        return self.read_line()

    def raw(self, request: bytes) -> bytes:
        """One request line as it is (LF added) and its raw reply line."""
        self.send(request + b"\n")
        return self.read_line()

    def pipeline(self, requests: Sequence[bytes]) -> list[bytes]:
        """All request lines in one go, then all replies."""
        self.send(b"".join(requests))
        return [self.read_line() for _ in requests]

    def open(
        self,
        table: str,
        columns: Iterable[str],
        index: str = "PRIMARY",
        id: int = 1,
        filters: Iterable[str] | None = None,
    ) -> None:
        """Opens an index; `table` is `database.table`. Raises AssertionError on an error reply."""
        database, name = table.split(".")
        tokens: list[Value] = ["P", id, database, name, index, ",".join(columns)]
        if filters is not None:
            tokens.append(",".join(filters))
        reply = self.request(*tokens)
        assert reply == b"0\t1", reply

    def find(
        self,
        op: str,
        key: Sequence[Value],
        limit: int | None = None,
        offset: int | None = None,
        id: int = 1,
    ) -> list[tuple[bytes | None, ...]]:
        """The rows of a find. Raises AssertionError on an error reply."""
        tokens: list[Value] = [id, op, len(key), *key]
        if limit is not None:
            tokens.append(limit)
        if offset is not None:
            tokens.append(offset)
        return rows(self.request(*tokens))


def rows(reply: bytes) -> list[tuple[bytes | None, ...]]:
    """The rows of a successful find reply."""
    tokens = reply.split(b"\t")
    assert tokens[0] == b"0", reply
    columns = int(tokens[1])
    values = [decode(token) for token in tokens[2:]]
    assert columns == 0 or len(values) % columns == 0, reply
    return [tuple(values[i : i + columns]) for i in range(0, len(values), columns or 1)]


@contextmanager
def sql_holds(server: PrivateServer, statement: str) -> Iterator[pymysql.connections.Connection]:
    """An SQL connection that has executed `statement` in a transaction."""
    connection = server.connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(statement)
        yield connection
    finally:
        connection.close()


def wait_for_a_lock_wait(server: PrivateServer) -> None:
    """Returns once a transaction waits for a row lock. (Within 0.1 s a second query of INNODB_TRX
    sees what the first one saw.)"""
    while server.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")[0][1] == "0":
        pass


def kill(server: PrivateServer, verb: str, thread: int) -> None:
    """Kills a thread of the process list, which may have ended meanwhile."""
    try:
        server.sql(f"{verb} {thread}")
    except pymysql.err.OperationalError as error:
        assert error.args[0] == ER_NO_SUCH_THREAD


def server_status(server: PrivateServer, name: str) -> int:
    """A global status variable."""
    return int(server.sql(f"SHOW GLOBAL STATUS LIKE '{name}'")[0][1])


def status(server: PrivateServer, name: str) -> int:
    """One of the plugin's status variables, without their common prefix."""
    return server_status(server, f"Handlersocket_{name}")


def readable(clients: list[Client], timeout_s: float = 0) -> list[Client]:
    """Those that have a reply, after at most timeout_s."""
    poll = select.poll()
    by_descriptor = {client.socket.fileno(): client for client in clients}
    for descriptor in by_descriptor:
        poll.register(descriptor, select.POLLIN)
    return [by_descriptor[descriptor] for descriptor, _ in poll.poll(timeout_s * 1000)]
