"""Python's values and those of columns."""

from __future__ import annotations

import builtins
import datetime
import math
import re
from decimal import Decimal
from typing import Any, Callable, Dict, Iterable, List, Sequence, TypeVar, Union

from .errors import ProtocolError, ValueError
from .protocol import Raw, utf8

Value = Union[
    None, bool, int, float, Decimal, str, bytes, datetime.date, datetime.time, datetime.timedelta
]
Key = Union[Value, Sequence[Value]]
T = TypeVar("T")

_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year"), "integer"),
    **dict.fromkeys(("float", "double"), "float"),
    "decimal": "decimal",
    "date": "date",
    **dict.fromkeys(("datetime", "timestamp"), "datetime"),
    "time": "time",
    **dict.fromkeys(("binary", "varbinary", "bit"), "bytes"),
    **dict.fromkeys(("tinyblob", "blob", "mediumblob", "longblob", "geometry"), "bytes"),
    **dict.fromkeys(("point", "linestring", "polygon", "multipoint"), "bytes"),
    **dict.fromkeys(("multilinestring", "multipolygon", "geometrycollection"), "bytes"),
}


def kind_of(type: str) -> str:
    """The kind of a column's type, as D has the type."""
    return _KINDS.get(type.partition("(")[0].partition(" ")[0].lower(), "text")


def list_of(values: Iterable[T], what: str) -> List[T]:
    """What was given as a list; a text is none, of which Python would take the letters."""
    if isinstance(values, (str, bytes, bytearray)) or not isinstance(values, Iterable):
        raise ValueError(f"{what} are a list, not a {type(values).__name__}")
    return list(values)


def to_bytes(value: Value) -> Raw:
    """The bytes of a value that is sent."""
    if type(value) is int:
        return b"%d" % value
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return utf8(value)
    if isinstance(value, int):
        return b"%d" % value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be sent")
        return repr(value).encode()
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} cannot be sent")
        return format(value, "f").encode()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            raise ValueError("a time with a time zone cannot be sent: the server's own is meant")
        return value.isoformat(" ").encode()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat().encode()
    if isinstance(value, datetime.timedelta):
        return _interval(value).encode()
    raise ValueError(f"a {type(value).__name__} cannot be sent")


def _interval(value: datetime.timedelta) -> str:
    micros = value // datetime.timedelta(microseconds=1)
    seconds, fraction = divmod(abs(micros), 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return ("-" if micros < 0 else "") + text + (f".{fraction:06}" if fraction else "")


_FLOAT = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_DECIMAL = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_TIME = re.compile(rb"(-?)([0-9]{2,3}):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,6}))?")


def _is(right: object) -> None:
    if not right:
        raise ProtocolError("a value is none of its column's type", sent=True)


def count_of(value: Raw) -> int:
    """The number of a value that has digits alone; ProtocolError when it has not."""
    _is(value is not None and value.isdigit() and len(value) <= 20)
    return int(value or 0)


def _integer(value: bytes) -> int:
    _is((value[1:] if value[:1] == b"-" else value).isdigit() and len(value) <= 20)
    return int(value)


def _float(value: bytes) -> float:
    _is(_FLOAT.fullmatch(value))
    found = float(value)
    _is(math.isfinite(found))
    return found


def _decimal(value: bytes) -> Decimal:
    _is(_DECIMAL.fullmatch(value))
    return Decimal(value.decode())


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _date(value: bytes) -> Union[datetime.date, str]:
    text = _text(value)
    try:
        return datetime.date.fromisoformat(text) if text[4:8:3] == "--" else text
    except builtins.ValueError:
        return text


def _datetime(value: bytes) -> Union[datetime.datetime, str]:
    text = _text(value)
    seconds, dot, fraction = text.partition(".")
    try:
        return datetime.datetime.fromisoformat(seconds + dot + fraction.ljust(6, "0") * bool(dot))
    except builtins.ValueError:
        return text


def _time(value: bytes) -> datetime.timedelta:
    match = _TIME.fullmatch(value)
    if not match:
        raise ProtocolError("a value is no time", sent=True)
    sign, hours, minutes, seconds, fraction = match.groups()
    found = datetime.timedelta(
        hours=int(hours),
        minutes=int(minutes),
        seconds=int(seconds),
        microseconds=int((fraction or b"").ljust(6, b"0")),
    )
    return -found if sign else found


DECODERS: Dict[str, Callable[[bytes], Any]] = {
    "integer": _integer,
    "float": _float,
    "decimal": _decimal,
    "date": _date,
    "datetime": _datetime,
    "time": _time,
    "text": _text,
    "bytes": bytes,
}
