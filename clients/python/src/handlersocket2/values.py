"""Python's values and those of columns."""

from __future__ import annotations

import builtins
import datetime
import math
from decimal import Decimal
from typing import Any, Callable, Dict, Sequence, Union

from .errors import ValueError
from .protocol import Raw

Value = Union[
    None, bool, int, float, Decimal, str, bytes, datetime.date, datetime.time, datetime.timedelta
]
Key = Union[Value, Sequence[Value]]

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


def to_bytes(value: Value) -> Raw:
    """The bytes of a value that is sent."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise ValueError("the text is no Unicode") from None
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


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _date(value: bytes) -> Union[datetime.date, str]:
    try:
        return datetime.date.fromisoformat(value.decode())
    except builtins.ValueError:
        return _text(value)


def _datetime(value: bytes) -> Union[datetime.datetime, str]:
    text = value.decode()
    seconds, dot, fraction = text.partition(".")
    try:
        return datetime.datetime.fromisoformat(seconds + dot + fraction.ljust(6, "0") * bool(dot))
    except builtins.ValueError:
        return text


def _time(value: bytes) -> Union[datetime.timedelta, str]:
    text = _text(value)
    hours, minutes, seconds = text.lstrip("-").split(":")
    whole, _, fraction = seconds.partition(".")
    found = datetime.timedelta(
        hours=int(hours),
        minutes=int(minutes),
        seconds=int(whole),
        microseconds=int(fraction.ljust(6, "0") or 0),
    )
    return -found if text.startswith("-") else found


DECODERS: Dict[str, Callable[[bytes], Any]] = {
    "integer": int,
    "float": float,
    "decimal": lambda value: Decimal(value.decode()),
    "date": _date,
    "datetime": _datetime,
    "time": _time,
    "text": _text,
    "bytes": bytes,
}
