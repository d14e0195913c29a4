"""The bytes of requests. This module knows no socket."""

from __future__ import annotations

import hashlib
import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .errors import ValueError

Raw = Optional[bytes]
MAX_NUMBER = 2**32 - 1
_CONTROL = re.compile(rb"[\x00-\x0f]")
_ESCAPED = {bytes([c]): bytes([1, c + 64]) for c in range(16)}
_QUOTED = "`(?:[^`]|``)+`"
_PLAIN = "[^.`][^.]*"
_FULL_NAME = re.compile(
    rf"({_QUOTED}|{_PLAIN})\.({_QUOTED}|[^`].*)|({_QUOTED}|{_PLAIN})", re.DOTALL
)
OPERATORS = ("=", "=<", ">", ">=", "<", "<=")
FILTER_OPERATORS = ("=", "!=", ">", ">=", "<", "<=")
CHANGES = ("U", "U?", "U!", "D", "D?", "+", "+?", "+!", "-", "-?", "-!")
INSERTS = ("+", "+!", "+I", "+I?", "+I!", "+U", "+U?", "+U!", "+R", "+R?", "+R!")


class Filter(NamedTuple):
    """`kind` F or W, an operator, the number of a filter column, a value."""

    kind: str
    op: str
    column: int
    value: Raw


class In(NamedTuple):
    """A list of values for the key part `part`; `all_rows`: every row of each value."""

    part: int
    values: Sequence[Raw]
    all_rows: bool = False


def encode_value(value: Raw) -> bytes:
    """The token of a value."""
    if value is None:
        return b"\0"
    if value.isalnum():
        return value
    return _CONTROL.sub(lambda found: _ESCAPED[found[0]], value)


def utf8(text: str) -> bytes:
    """The bytes of a text."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text is no Unicode") from None
    except AttributeError:
        raise ValueError(f"{text!r} is no text") from None


def name(text: str) -> bytes:
    """The token of a name, which cannot be escaped."""
    token = utf8(text)
    if not set(token).isdisjoint(b"\t\n\r\0"):
        raise ValueError(f"the name {text!r} cannot be sent")
    return token


def number(value: int, most: int = MAX_NUMBER) -> bytes:
    """The token of a number."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{value!r} is no number from 0 to {most}")
    return b"%d" % value


def _columns(names: Sequence[str]) -> bytes:
    for one in names:
        if not isinstance(one, str) or not one or "," in one:
            raise ValueError(f"the column {one!r} cannot be sent")
    return b",".join(map(name, names))


def _line(*tokens: bytes) -> bytes:
    return b"\t".join(tokens) + b"\n"


def open_index(
    id: int,
    database: str,
    table: str,
    index: str,
    columns: Sequence[str],
    filter_columns: Sequence[str] = (),
) -> bytes:
    """P."""
    tokens = [b"P", number(id), name(database), name(table), name(index), _columns(columns)]
    if filter_columns:
        tokens.append(_columns(filter_columns))
    return _line(*tokens)


def _find(
    id: int,
    op: str,
    key: Sequence[Raw],
    limit: int,
    offset: int,
    in_: Optional[In],
    filters: Sequence[Filter],
    more: bool,
) -> List[bytes]:
    if op not in OPERATORS:
        raise ValueError(f"{op!r} is no operator")
    if not key:
        raise ValueError("the key has no values")
    tokens = [number(id), op.encode(), b"%d" % len(key), *map(encode_value, key)]
    bounds = [number(limit), number(offset)]
    if more or in_ or filters or offset:
        tokens += bounds
    elif limit != 1:
        tokens.append(bounds[0])
    if in_:
        if not in_.values or not 0 <= in_.part < len(key):
            raise ValueError("the list of values is empty, or none of a part of the key")
        tokens += [b"&" if in_.all_rows else b"@", number(in_.part), number(len(in_.values))]
        tokens += map(encode_value, in_.values)
    for one in filters:
        if one.kind not in ("F", "W") or one.op not in FILTER_OPERATORS:
            raise ValueError(f"{one.kind!r} {one.op!r} is no filter")
        tokens += [one.kind.encode(), one.op.encode(), number(one.column), encode_value(one.value)]
    return tokens


def find_one(key: Sequence[Raw]) -> bytes:
    """What stands behind the id of a find of one row by its key, as most requests are."""
    if not key:
        raise ValueError("the key has no values")
    if len(key) == 1:
        return b"\t=\t1\t" + encode_value(key[0]) + b"\n"
    return b"\t=\t%d\t%b\n" % (len(key), b"\t".join(map(encode_value, key)))


def find(
    id: int,
    op: str,
    key: Sequence[Raw],
    limit: int = 1,
    offset: int = 0,
    in_: Optional[In] = None,
    filters: Sequence[Filter] = (),
) -> bytes:
    """A find."""
    return _line(*_find(id, op, key, limit, offset, in_, filters, False))


def count(
    id: int,
    op: str,
    key: Sequence[Raw],
    limit: int = 0,
    offset: int = 0,
    in_: Optional[In] = None,
    filters: Sequence[Filter] = (),
) -> bytes:
    """C."""
    return _line(*_find(id, op, key, limit, offset, in_, filters, True), b"C")


def change(
    id: int,
    op: str,
    key: Sequence[Raw],
    limit: int,
    offset: int,
    in_: Optional[In],
    filters: Sequence[Filter],
    verb: str,
    values: Sequence[Raw],
) -> bytes:
    """A find whose rows are changed."""
    if verb not in CHANGES:
        raise ValueError(f"{verb!r} is no change")
    tokens = _find(id, op, key, limit, offset, in_, filters, True)
    return _line(*tokens, verb.encode(), *map(encode_value, values))


def insert(
    id: int, verb: str, values: Sequence[Raw], update: Optional[Sequence[Raw]] = None
) -> bytes:
    """`+`, `+I`, `+U`, `+R`."""
    if verb not in INSERTS or (update is not None and not verb.startswith("+U")):
        raise ValueError(f"{verb!r} is no insert of this kind")
    tokens = [number(id), verb.encode(), b"%d" % len(values), *map(encode_value, values)]
    if update is not None:
        tokens += [b"%d" % len(update), *map(encode_value, update)]
    return _line(*tokens)


def begin(isolation: Optional[str] = None, read_only: bool = False) -> bytes:
    """`T B`."""
    if isolation not in (None, "RU", "RC", "RR", "SR"):
        raise ValueError(f"{isolation!r} is no isolation")
    tokens = [isolation.encode()] if isolation else []
    return _line(b"T", b"B", *tokens, *([b"RO"] if read_only else []))


def savepoint(label: str, verb: bytes = b"S") -> bytes:
    """`T S`, and `T U` to roll back to it."""
    if len(utf8(label)) > 256:
        raise ValueError("the name of a savepoint has at most 256 bytes")
    return _line(b"T", verb, encode_value(utf8(label)))


def wait_gtid(gtid: str, milliseconds: int) -> bytes:
    """`G W`."""
    return _line(b"G", b"W", name(gtid), number(milliseconds, 600_000))


def hello(version: int, client: str) -> bytes:
    """H."""
    return _line(b"H", number(version), name(client))


def describe(
    database: Optional[str] = None, table: Optional[str] = None, indexes: bool = False
) -> bytes:
    """D."""
    if (table is not None and not database) or (indexes and table is None):
        raise ValueError("a table has a database")
    names = [encode_value(utf8(one)) for one in (database, table) if one is not None]
    return _line(b"D", *names, *([b"I"] if indexes else []))


def login(user: str, methods: Sequence[str] = ()) -> bytes:
    """`A 2`."""
    return _line(b"A", b"2", name(user), *([name(",".join(methods))] if methods else []))


def answer(response: bytes) -> bytes:
    """`A 3`."""
    return _line(b"A", b"3", response.hex().encode())


def password(user: str, secret: str) -> bytes:
    """`A 4`."""
    return _line(b"A", b"4", name(user), encode_value(utf8(secret)))


def secret(text: str) -> bytes:
    """`A 1`."""
    return _line(b"A", b"1", encode_value(utf8(text)))


def native_password(secret: bytes, challenge: bytes) -> bytes:
    """The response of mysql_native_password."""
    if not secret:
        return b""
    once = hashlib.sha1(secret).digest()
    mask = hashlib.sha1(challenge + hashlib.sha1(once).digest()).digest()
    return bytes(a ^ b for a, b in zip(once, mask))


def split_name(text: str) -> Tuple[Optional[str], str]:
    """The parts of `database.table`, or None and the only one. In backquotes it is as in SQL."""
    if not isinstance(text, str):
        raise ValueError(f"a table is named by a text, not by a {type(text).__name__}")
    found = _FULL_NAME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} does not name a table and its database")
    before, after, only = (name and _unquoted(name) for name in found.groups())
    return before, after or only


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def split_table(text: str, database: Optional[str]) -> Tuple[str, str]:
    """Database and table of `database.table`, or of a table of the client's database."""
    named, table = split_name(text)
    if not (named or database):
        raise ValueError(f"{text!r} does not name a table and its database")
    return named or database or "", table
