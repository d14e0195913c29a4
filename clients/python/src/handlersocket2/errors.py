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
        super().__init__(f"{text} (code {code})")
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


def _number(text: str) -> Optional[int]:
    word, _, rest = text.partition(" ")
    digits = word[4:] if word.startswith("sql_") else rest if word == "access_denied" else ""
    return int(digits) if digits.isdecimal() else None


def server_error(code: int, text: str) -> ServerError:
    """The error of an error reply, of the class that its text has."""
    word = text.partition(" ")[0]
    if word.startswith("too_many_"):
        return OverloadedError(code, text)
    return _BY_WORD.get(word, ServerError)(code, text)
