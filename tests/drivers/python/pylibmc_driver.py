"""The session of README.md with pylibmc, by text and by the binary protocol, which also logs in by SASL."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pylibmc

BINARY = bytes(range(256))


def client(port: str, **options: Any) -> pylibmc.Client:
    return pylibmc.Client([f"127.0.0.1:{os.environ[port]}"], **options)


def refused(call: Callable[..., Any], *arguments: Any) -> bool:
    """Whether nothing was done: pylibmc says so by False in text, and often by an exception in binary."""
    try:
        return not call(*arguments)
    except pylibmc.NotFound:
        return True


def values(cache: pylibmc.Client) -> None:
    assert cache.get("x:a") is None
    assert cache.set("x:a", BINARY, time=100)
    assert cache.get("x:a") == BINARY
    assert refused(cache.add, "x:a", "x")
    assert refused(cache.replace, "x:none", "x")
    assert refused(cache.append, "x:none", "x")
    assert cache.set("x:l", [1, {"two": 2}], min_compress_len=1)
    assert cache.get("x:l") == [1, {"two": 2}]
    assert cache.set_multi({"b": "one", "c": 3}, key_prefix="x:") == []
    assert cache.get_multi(["b", "none", "c"], key_prefix="x:") == {"b": "one", "c": 3}
    assert cache.append("x:b", "!")
    assert cache.prepend("x:b", ">")
    assert cache.get("x:b") == ">one!"
    assert cache.touch("x:b", 50)
    assert refused(cache.touch, "x:none", 50)
    assert cache.set("x:l", "1", time=-1)  # It has no sign on the wire.
    assert cache.get("x:l") is None
    assert not cache.delete_multi(["b", "none"], key_prefix="x:")
    assert cache.set("x:l", "1")
    assert cache.delete("x:l")
    assert refused(cache.delete, "x:l")


def numbers(cache: pylibmc.Client) -> None:
    cache.set("x:n", 41)
    assert cache.incr("x:n") == 42
    assert cache.decr("x:n", 40) == 2
    assert cache.get("x:n") == 2
    assert refused(cache.incr, "x:none")
    assert refused(cache.decr, "x:none")


def versions(cache: pylibmc.Client) -> None:
    cache.behaviors["cas"] = True
    cache.set("x:v", "1")
    value, version = cache.gets("x:v")
    assert value == "1"
    assert cache.cas("x:v", "2", version)
    assert not cache.cas("x:v", "3", version)
    assert cache.get("x:v") == "2"
    assert cache.gets("x:none") == (None, None)


def account() -> None:
    cache = client("GUARDED_PORT", binary=True, username="driver", password="se'cret")
    assert cache.set("x:t", "over TLS")
    assert cache.get_multi(["x:t", "x:none"]) == {"x:t": "over TLS"}
    try:
        client("GUARDED_PORT", binary=True, username="driver", password="wrong").set("x:t", "x")
    except pylibmc.Error:
        pass
    else:
        raise AssertionError("a wrong password was taken")


def main() -> None:
    for binary in (False, True):
        cache = client("PORT", binary=binary)
        values(cache)
        numbers(cache)
        versions(cache)
        for key in ("x:a", "x:c", "x:n", "x:v"):
            assert cache.delete(key)
    account()
    assert cache.set("x:left", "pylibmc")
    try:
        client("PORT").flush_all()
    except pylibmc.Error:
        print(f"ok pylibmc {pylibmc.__version__}")


main()
