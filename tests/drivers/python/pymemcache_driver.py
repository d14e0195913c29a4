"""The session of README.md with pymemcache."""

import os
import sys
import threading

import pymemcache
from pymemcache import serde
from pymemcache.client.base import Client, PooledClient

PLACE = ("127.0.0.1", int(os.environ["PORT"]))
BINARY = b"<\x00\xff>\r\n"


def check(found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{found!r} instead of {wanted!r}")


def values(client: Client) -> None:
    check(client.get("x:a"), None)
    check(client.set("x:a", BINARY, noreply=False), True)
    check(client.get("x:a"), BINARY)
    check(client.add("x:a", b"x", noreply=False), False)
    check(client.replace("x:none", b"x", noreply=False), False)
    check(client.set_many({"x:a": b"one", "x:b": b"two"}, noreply=False), [])
    check(client.get_many(["x:a", "x:none", "x:b"]), {"x:a": b"one", "x:b": b"two"})
    check(client.append("x:b", b"!", noreply=False), True)
    check(client.prepend("x:b", b">", noreply=False), True)
    check(client.get("x:b"), b">two!")
    client.set("x:c", b"quiet", noreply=True)
    check(client.get("x:c"), b"quiet")
    check(client.delete("x:c", noreply=False), True)
    check(client.delete("x:c", noreply=False), False)


def numbers(client: Client) -> None:
    check(client.incr("x:n", 1), None)
    client.set("x:n", b"9", noreply=False)
    check(client.incr("x:n", 33), 42)
    check(client.decr("x:n", 100), 0)


def versions(client: Client) -> None:
    client.set("x:v", b"1", noreply=False)
    value, version = client.gets("x:v")
    check(client.cas("x:v", b"2", version, noreply=False), True)
    check(client.cas("x:v", b"3", version, noreply=False), False)
    check(client.cas("x:none", b"3", version, noreply=False), None)
    check((value, client.get("x:v")), (b"1", b"2"))


def expiry(client: Client) -> None:
    check(client.set("x:t", b"1", expire=-1, noreply=False), True)
    check(client.get("x:t"), None)
    client.set("x:t", b"1", expire=100, noreply=False)
    check(client.touch("x:t", 50, noreply=False), True)


def objects() -> None:
    """A type goes into the flags."""
    client = Client(PLACE, serde=serde.pickle_serde)
    for value in ({"a": [1, 2]}, 7, "ünï"):
        client.set("x:o", value, noreply=False)
        check(client.get("x:o"), value)


def many_threads() -> None:
    client = PooledClient(PLACE, max_pool_size=4)
    client.set("x:p", b"0", noreply=False)
    threads = [threading.Thread(target=lambda: [client.incr("x:p", 1) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(client.get("x:p"), b"200")


client = Client(PLACE)
values(client)
numbers(client)
versions(client)
expiry(client)
objects()
many_threads()
try:
    client.flush_all(noreply=False)
    sys.exit("flush_all was served")
except pymemcache.MemcacheError:
    pass
client.delete_many(["x:a", "x:b", "x:n", "x:v", "x:t", "x:o", "x:p"], noreply=False)
client.set("x:left", b"pymemcache", noreply=False)
print(f"ok pymemcache {pymemcache.__version__}")
