"""The errors of the client. Those of the server have its code and text."""

from __future__ import annotations

import builtins
from typing import Dict, Optional, Type


class Error(Exception):
    """All errors of this package."""


class ConfigurationError(Error):
    """An option is unknown, stands twice, or has a value that it cannot have."""


class ValueError(Error, builtins.ValueError):
    """A value, a name or a number cannot be sent. Nothing was sent."""


class ConnectionError(Error, builtins.ConnectionError):
    """There is no connection, or it broke; `sent`: the request may have been carried out."""

    def __init__(self, what: str, sent: bool = False) -> None:
        super().__init__(what)
        self.sent = sent


class TimeoutError(ConnectionError, builtins.TimeoutError):
    """It took too long; the connection is closed."""


class ProtocolError(ConnectionError):
    """What came is no reply of the protocol; the connection is closed."""


class UnsupportedError(Error):
    """The server has not the feature that this needs."""


class ServerError(Error):
    """The server's answer is an error: `code` 1, 2 or 3, `text` as it came, and SQL's `number`."""

    def __init__(self, code: int, text: str) -> None:
        hint = _HINTS.get(text, _HINTS.get(text.partition(" ")[0]))
        super().__init__(f"{text} (code {code})" + (f": {hint}" if hint else ""))
        self.code = code
        self.text = text
        self.number = _number(text)


class DuplicateKeyError(ServerError):
    """A row with this key is there already."""


class LockTimeoutError(ServerError):
    """Another one holds the row or the table for too long."""


class DeadlockError(ServerError):
    """A deadlock; nothing was kept."""


class TransactionLostError(ServerError):
    """The transaction was rolled back by the server; nothing of it was kept."""


class ForeignKeyError(ServerError):
    """A foreign key forbids it."""


class ConstraintError(ServerError):
    """The row is none that the table takes."""


class NotFoundError(ServerError):
    """There is no such table, index or column."""


class ReadOnlyError(ServerError):
    """Changes are not taken here."""


class AuthenticationError(ServerError):
    """The login or the secret was refused."""


class AccessDeniedError(ServerError):
    """The account has not the privilege."""


class OverloadedError(ServerError):
    """One of the server's bounds is reached."""


class UnavailableError(ServerError):
    """The server shuts down."""


_BY_WORD: Dict[str, Type[ServerError]] = {
    "121": DuplicateKeyError,
    "146": LockTimeoutError,
    "lock_tables": LockTimeoutError,
    "149": DeadlockError,
    "transaction_lost": TransactionLostError,
    "123": TransactionLostError,
    "151": ForeignKeyError,
    "152": ForeignKeyError,
    "open_table": NotFoundError,
    "idxnum": NotFoundError,
    "fld": NotFoundError,
    "readonly": ReadOnlyError,
    "unauth": AuthenticationError,
    "authtype": AuthenticationError,
    "insecure_transport": AuthenticationError,
    "access_denied": AccessDeniedError,
    "max_memory": OverloadedError,
    "shutdown": UnavailableError,
}
for _sql in (1048, 1264, 1265, 1292, 1364, 1366, 1406, 4025):
    _BY_WORD[f"sql_{_sql}"] = ConstraintError

# What is said behind the server's word, which is short.
_HINTS = {
    "121": "a row with this key is there already",
    "123": "another session has changed the row meanwhile; try again",
    "146": "another session held the row for too long; try again",
    "149": "a deadlock; try again",
    "151": "the row that a foreign key refers to is not there",
    "152": "another row refers to this one by a foreign key",
    "lock_tables": "another session held the table for too long, or the server is read-only",
    "transaction_lost": "the server has rolled the transaction back; begin it again",
    "open_table": "there is no such table, or it cannot be served",
    "idxnum": "the table has no such index, or it cannot be searched",
    "fld": "the table has no such column",
    "readonly": "changes are not taken here, but on the write port, "
    "and in transactions that may write",
    "unauth": (
        "the port asks for an account or a secret, or the one that was given is refused; "
        "accounts of MySQL need tls=verify or a Unix socket"
    ),
    "authtype": "the port does not take this kind of login",
    "insecure_transport": "the server takes connections with TLS only",
    "access_denied": "the account has no privilege for this",
    "access_denied 1226": (
        "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later"
    ),
    "max_memory": "the server has reached handlersocket_max_memory; try again later",
    "shutdown": "the server is shutting down",
    "too_many_indexes": "the connection has as many open indexes as it may have",
    "too_many_connections": "the server has reached handlersocket_max_connections",
    "too_many_rows": "one request may not change or give so many rows; use a smaller limit",
    "too_many_keys": "the list is longer than handlersocket_max_in_keys",
    "too_many_columns": "the list is longer than handlersocket_max_columns",
    "too_many_logins": "as many logins wait as the server lets wait; try again later",
    "too_many_waits": "as many connections wait for a GTID as the server lets wait; "
    "try again later",
    "too_many_transactions": "the server has reached handlersocket_max_transactions; "
    "try again later",
    "cmd": "the server does not know this request: it is no HandlerSocket 2, or an old one",
    "op": "the index does not take this operator",
    "kpnum": "the key has more values than the index has columns",
    "fldnum": "there are more values than columns",
    "filterblob": "TEXT and BLOB columns can only be compared with NULL",
    "notimpl": "this server does not serve this request",
    "number": "an amount, a limit or an offset is no integer, or out of its range",
    "request_too_long": "the request is longer than handlersocket_max_request_size",
    "reply_too_long": "the reply is longer than handlersocket_max_reply_size; ask for fewer rows",
    "unsupported_table": "the table has a feature that is not served on this port; use SQL",
    "interrupted": "the request was killed, and nothing of it was done",
    "gtid": "this is no list of GTIDs",
    "no_binary_log": "the server writes no binary log, so changes have no GTID",
    "in_transaction": "this is not taken within a transaction",
    "no_transaction": "the connection is in no transaction",
    "not_a_number": "the value of the column is no number that can be counted",
}


def _number(text: str) -> Optional[int]:
    word, _, rest = text.partition(" ")
    digits = word[4:] if word.startswith("sql_") else rest if word == "access_denied" else ""
    return int(digits) if digits.isdecimal() else None


_ENDS = (
    "insecure_transport",
    "max_memory",
    "request_too_long",
    "shutdown",
    "too_many_connections",
)


def ends_connection(answer: object) -> bool:
    """Whether the server ends the connection behind this answer, or may."""
    return isinstance(answer, ServerError) and answer.text in _ENDS


def server_error(code: int, text: str) -> ServerError:
    """The error of an error reply, of the class that its text has."""
    word = text.partition(" ")[0]
    if word.startswith("too_many_"):
        return OverloadedError(code, text)
    return _BY_WORD.get(word, ServerError)(code, text)
