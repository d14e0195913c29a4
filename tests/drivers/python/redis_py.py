"""The session of README.md with redis-py, first by version 2 of the protocol and then by version 3."""

import os
import sys

import redis

PORT, GUARDED = int(os.environ["PORT"]), int(os.environ["GUARDED_PORT"])
BINARY = b"<\x00\xff>\r\n"


def check(found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{found!r} instead of {wanted!r}")


def session(version: int) -> None:
    client = redis.Redis(port=PORT, protocol=version, client_name="driver")
    strings(client)
    hashes(client)
    transactions(client)
    check(sorted(client.scan_iter(match="page:*", count=1)), [b"page:a", b"page:b"])
    pipe = client.pipeline(transaction=False)
    for _ in range(100):
        pipe.incr("count:p")
    check(pipe.execute(), list(range(1, 101)))
    refused(client)
    account(version)
    check(client.delete("page:a", "page:b", "count:c", "count:p", "count:t", "user:1"), 6)


def strings(client: redis.Redis) -> None:
    check(client.client_info()["id"], client.client_id())
    check(client.set("page:a", BINARY, ex=100), True)
    check(client.get("page:a"), BINARY)
    check(99 <= client.ttl("page:a") <= 101, True)
    check(client.set("page:a", "x", nx=True), None)
    check(client.mget("page:a", "page:none"), [BINARY, None])
    check(client.mset({"page:a": "one", "page:b": "two"}), True)
    check(client.append("page:b", "!"), 4)
    check(client.getset("page:b", "2"), b"two!")
    check(client.exists("page:a", "page:b", "page:none"), 2)
    check(client.expire("page:b", 50), True)
    check(49 <= client.ttl("page:b") <= 51, True)
    check(client.persist("page:b"), True)
    check(client.ttl("page:b"), -1)
    check(client.incr("count:c"), 1)
    check(client.incrby("count:c", 41), 42)
    check(client.decr("count:c"), 41)
    check(client.incrbyfloat("page:b", 0.5), 2.5)


def hashes(client: redis.Redis) -> None:
    check(client.hset("user:1", mapping={"name": "ada", "visits": 1}), 2)
    check(client.hincrby("user:1", "visits", 4), 5)
    check(client.hmget("user:1", "visits", "none", "name"), [b"5", None, b"ada"])
    check(client.hgetall("user:1"), {b"id": b"1", b"name": b"ada", b"visits": b"5"})
    check(client.hexists("user:1", "name"), True)


def transactions(client: redis.Redis) -> None:
    pipe = client.pipeline()
    pipe.incr("count:t")
    pipe.get("page:a")
    check(pipe.execute(), [1, b"one"])
    pipe.watch("count:t")
    pipe.multi()
    pipe.incr("count:t")
    redis.Redis(port=PORT).incr("count:t")
    try:
        pipe.execute()
        sys.exit("a watched row had changed, and EXEC did not see it")
    except redis.WatchError:
        check(client.get("count:t"), b"2")


def refused(client: redis.Redis) -> None:
    with open(os.environ["REFUSED"], encoding="utf-8") as lines:
        for line in lines:
            command, error, _ = line.split("\t")
            try:
                found = client.execute_command(*command.split())
                sys.exit(f"{command}: {found!r}")
            except redis.ResponseError as told:
                # The client takes the first word of some errors away.
                check(str(told).startswith((error, error.partition(" ")[2])), True)


def account(version: int) -> None:
    about = {"port": GUARDED, "ssl": True, "ssl_ca_certs": os.environ["CA"], "ssl_check_hostname": False}
    client = redis.Redis(username="driver", password="se'cret", protocol=version, **about)
    check(client.set("page:t", "over TLS"), True)
    check(client.get("page:t"), b"over TLS")
    try:
        redis.Redis(username="driver", password="wrong", **about).ping()
        sys.exit("a wrong password is taken")
    except redis.AuthenticationError:
        pass


session(2)
session(3)
redis.Redis(port=PORT).set("page:left", "redis-py")
print(f"ok redis-py {redis.__version__}")
