"""Where the server is and how it is asked: URL, environment, option file."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, fields
from decimal import Decimal
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Tuple
from urllib.parse import unquote

from .errors import ConfigurationError


@dataclass(frozen=True)
class Options:
    """What `connect` takes; see the contract of the clients. Times are seconds."""

    host: str = "127.0.0.1"
    port: int = 9998
    write_port: int = 9999
    socket: Optional[str] = None
    write_socket: Optional[str] = None
    database: Optional[str] = None
    user: Optional[str] = None
    password: Optional[str] = None
    secret: Optional[str] = None
    write_secret: Optional[str] = None
    tls: str = "off"
    tls_ca: Optional[str] = None
    tls_cert: Optional[str] = None
    tls_key: Optional[str] = None
    tls_name: Optional[str] = None
    connect_timeout: float = 5
    timeout: float = 30
    pool_size: int = 16
    max_idle: float = 60  # 0: connections that are not used are kept
    name: str = "handlersocket2-python/2.0"
    replicas: Tuple[str, ...] = ()
    read_your_writes: bool = False
    gtid_timeout: float = 1
    retries: int = 2


def _integer(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,10}", text) or not least <= int(text) <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return read


def _seconds(most: int) -> Callable[[str], float]:
    def read(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,10}(\.[0-9]+)?", text) or float(text) > most:
            raise ValueError(f"seconds from 0 to {most}")
        return float(text)

    return read


def _one_of(**meanings: Any) -> Callable[[str], Any]:
    *names, last = meanings

    def read(text: str) -> Any:
        if text not in meanings:
            raise ValueError(f"{', '.join(names)} or {last}")
        return meanings[text]

    return read


class _NotTold(ValueError):
    """What is wrong with a text that may be secret."""


def _text(form: str, what: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(form, text):
            raise _NotTold(f"text {what}")
        return text

    return read


def place(text: str) -> Tuple[str, int]:
    """Host and port of `host:port`."""
    found = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]\s/\0]+):([0-9]{1,5})", text)
    if not found or not 0 < int(found[2]) < 65536:
        raise ValueError("no host:port")
    return _unbracketed(found[1]), int(found[2])


def _unbracketed(host: str) -> str:
    """A host without the brackets of an IPv6 address; ValueError when there is none in them."""
    if host.startswith("["):
        host = host[1:-1]
        IPv6Address(host)
    return host


def _places(text: str) -> Tuple[str, ...]:
    found = tuple(text.split(","))
    try:
        if [place(one) for one in found][32:]:
            raise ValueError("too many")
    except ValueError:
        raise ValueError("host:port,host:port, 32 at most") from None
    return found


_TEXT = _text(r"[^\0]+", "of one character or more, without NUL")
_SECRET = _text(r"[^\0]*", "without NUL")
_READ: Dict[str, Callable[[str], Any]] = {field.name: _TEXT for field in fields(Options)}
_READ.update(
    password=_SECRET,
    secret=_SECRET,
    write_secret=_SECRET,
    port=_integer(1, 65535),
    write_port=_integer(1, 65535),
    tls=_one_of(off="off", require="require", verify="verify"),
    connect_timeout=_seconds(1_000_000),
    timeout=_seconds(1_000_000),
    pool_size=_integer(1, 65535),
    max_idle=_seconds(1_000_000),
    name=_text(r"[^\x00-\x1f\x7f]+", "of one character or more, without control characters"),
    replicas=_places,
    read_your_writes=_one_of(on=True, off=False),
    gtid_timeout=_seconds(600),  # as the server has it
    retries=_integer(0, 1000),
)


def _typed(texts: Dict[str, str]) -> Dict[str, Any]:
    values = {}
    for name, text in texts.items():
        if name not in _READ:
            raise ConfigurationError(f"there is no option {name!r}")
        try:
            values[name] = _READ[name](text)
        except _NotTold as error:
            raise ConfigurationError(f"{name} is {error}") from None
        except ValueError as error:
            raise ConfigurationError(f"{name} is {error}, not {text!r}") from None
    return values


def _unescape(text: str) -> str:
    if re.search("%(?![0-9a-fA-F]{2})", text):
        raise ConfigurationError(f"{text!r} is not percent-encoded")
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{text!r} is no UTF-8") from None


_URL = re.compile(
    r"(?P<scheme>hs|hs\+unix)://(?:(?P<user>[^:@/?#]*)(?::(?P<password>[^@/?#]*))?@)?"
    r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@/?#\s]*)(?::(?P<port>[^/?#]*))?(?P<path>/[^?#]*)?(?:\?(?P<query>[^#]*))?"
)


def parse_url(url: str) -> Dict[str, Any]:
    """The options that a URL names; ConfigurationError when it is none."""
    if not isinstance(url, str):
        raise ConfigurationError(f"the URL is a text, not a {type(url).__name__}")
    found = None if re.search(r"\s", url) else _URL.fullmatch(url)
    if not found:
        raise ConfigurationError(
            "the URL is not of the form hs://user:password@host:port/database?option=value"
        )
    texts: Dict[str, str] = {}

    def take(name: str, text: Optional[str]) -> None:
        if text is None:
            return
        if name in texts:
            raise ConfigurationError(f"{name} is given twice")
        texts[name] = _unescape(text)

    take("user", found["user"])
    take("password", found["password"])
    path = found["path"] or ""
    if found["scheme"] == "hs":
        try:
            take("host", _unbracketed(found["host"]) or None)
        except ValueError as error:
            raise ConfigurationError(f"host: {error}") from None
        take("port", found["port"])
        take("database", path[1:] or None)
    elif found["host"] or found["port"] is not None or len(path) < 2:
        raise ConfigurationError("hs+unix:// needs the path of a socket, and no host")
    else:
        take("socket", path)
    for pair in (found["query"] or "").split("&") if found["query"] else ():
        name, equals, text = pair.partition("=")
        if not equals:
            raise ConfigurationError(f"the option {name!r} has no value")
        take(name, text)
    return _typed(texts)


# A URL says where the server is; then the file does not.
_PLACE = {"host", "port", "write_port", "socket", "write_socket"}
_BLANKS = " \t\r\v\f"


def _option_file() -> Dict[str, Any]:
    named = os.environ.get("HS_OPTION_FILE")
    file = Path(named) if named else Path.home() / ".hs.cnf"
    if not named and not file.exists():
        return {}
    try:
        content = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the option file {file} cannot be read: {error}") from None
    if "\0" in content:
        raise ConfigurationError(f"the option file {file} has a NUL byte")
    texts: Dict[str, str] = {}
    group: Optional[str] = None
    for line in (one.strip(_BLANKS) for one in content.split("\n")):
        if not line or line[0] in "#;":
            continue
        if line[0] == "!":
            raise ConfigurationError(f"{line!r} of {file}: no other file is included")
        if line[0] == "[":
            group, closed, _ = line[1:].partition("]")
            group = group.rstrip(_BLANKS).lower()
            if not closed:
                raise ConfigurationError(f"a group of {file} has no ]")
        elif group is None:
            raise ConfigurationError(f"a line of {file} stands before the first group")
        elif group == "hs":
            name, equals, text = line.partition("=")
            if not equals:
                raise ConfigurationError(f"the option {line!r} of {file} has no value")
            name = name.strip(_BLANKS)
            if name in texts:
                raise ConfigurationError(f"{name} stands twice in {file}")
            texts[name] = text.strip(_BLANKS)
    return _typed(texts)


def make_options(url: Optional[str], given: Dict[str, Any]) -> Options:
    """The options of a URL and of arguments, and where neither names one of the environment and the
    option file. An argument of None is as none. ConfigurationError names what is wrong."""
    given = {name: value for name, value in given.items() if value is not None}
    if url is None and not given:
        url = os.environ.get("HS_URL") or None
    values = parse_url(url) if url is not None else {}
    for name in given:
        if name in values:
            raise ConfigurationError(f"{name} is given twice")
    values.update(_typed({name: _as_text(name, value) for name, value in given.items()}))
    for name, variable in (("password", "HS_PASSWORD"), ("secret", "HS_SECRET")):
        if name not in values and variable in os.environ:
            values[name] = os.environ[variable]
    file = _option_file()
    if url is not None:
        file = {name: value for name, value in file.items() if name not in _PLACE}
    options = Options(**{**file, **values})
    if (options.tls_cert is None) != (options.tls_key is None):
        raise ConfigurationError("tls_cert and tls_key belong together")
    return options


def _as_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    parts = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(one, (str, int, float, os.PathLike)) for one in parts):
        raise ConfigurationError(f"{name} cannot be {value!r}")
    return ",".join(_plain(one) if isinstance(one, float) else str(one) for one in parts)


def _plain(number: float) -> str:
    """Without an exponent."""
    return format(Decimal(repr(number)), "f") if math.isfinite(number) else str(number)
