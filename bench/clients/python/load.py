"""Looks rows up by their keys, and prints how many, in what time, with how much CPU.

    load.py TARGET SHAPE PORT ROWS SECONDS

The folder's README tells what these are.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator

BATCH = 100
THREADS = 16

Lookup = Callable[[list[int]], list[str]]  # the values of some keys, one key or BATCH of them


def hs(port: int, shape: str) -> Callable[[], Lookup]:
    import handlersocket2

    client = handlersocket2.connect(f"hs://127.0.0.1:{port}", pool_size=THREADS)
    table = client.table("test.pairs", ["value"])

    def one(keys: list[int]) -> list[str]:
        row = table.get(keys[0])
        return [row["value"] if row else ""]

    def batch(keys: list[int]) -> list[str]:
        with client.pipeline() as pipeline:
            calls = client.calls(table)
            results = [pipeline.add(calls.get(key)) for key in keys]
        return [result.value["value"] for result in results]

    return lambda: batch if shape == "pipeline" else one


def sql(port: int, shape: str) -> Callable[[], Lookup]:
    import pymysql

    def connect() -> Lookup:
        connection = pymysql.connect(host="127.0.0.1", port=port, user="bench", autocommit=True)
        cursor = connection.cursor()

        def one(keys: list[int]) -> list[str]:
            cursor.execute("SELECT value FROM test.pairs WHERE id = %s", keys)
            return [row[0] for row in cursor]

        def batch(keys: list[int]) -> list[str]:
            cursor.execute("SELECT id, value FROM test.pairs WHERE id IN %s", (keys,))
            found = dict(cursor)
            return [found[key] for key in keys]

        return batch if shape == "pipeline" else one

    return connect


def redis(port: int, shape: str) -> Callable[[], Lookup]:
    from redis import Redis

    client = Redis(port=port, decode_responses=True)

    def one(keys: list[int]) -> list[str]:
        return [client.get(keys[0])]

    def batch(keys: list[int]) -> list[str]:
        pipeline = client.pipeline(transaction=False)
        for key in keys:
            pipeline.get(key)
        return pipeline.execute()

    return lambda: batch if shape == "pipeline" else one


def floor(port: int, shape: str) -> Callable[[], Lookup]:
    """A socket, without a client: what the server and the kernel leave to be gained."""
    import socket

    def connect() -> Lookup:
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"P\t1\ttest\tpairs\tPRIMARY\tvalue\n")
        connection.recv(4096)

        def ask(keys: list[int]) -> list[str]:
            connection.sendall(b"".join(b"1\t=\t1\t%d\n" % key for key in keys))
            answer = b""
            while answer.count(b"\n") < len(keys):
                answer += connection.recv(65536)
            return [line[4:].decode() for line in answer.splitlines()]

        return ask

    return connect


def keys_of(first: int, rows: int, count: int) -> Iterator[list[int]]:
    while True:
        yield [1 + (first + 7919 * number) % rows for number in range(count)]
        first += 7919 * count


def look_up(lookup: Lookup, keys: Iterator[list[int]], end: float) -> tuple[int, int]:
    """How many lookups there were until the end, and how many had a wrong answer."""
    lookups = wrong = 0
    while time.perf_counter() < end:
        asked = next(keys)
        lookups += len(asked)
        if lookup(asked) != [f"{key:060}" for key in asked]:
            wrong += 1
    return lookups, wrong


def main() -> None:
    target, shape = sys.argv[1:3]
    port, rows, seconds = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    connect = {"hs": hs, "sql": sql, "redis": redis, "floor": floor}[target](port, shape)
    count = BATCH if shape == "pipeline" else 1
    threads = THREADS if shape == "parallel" else 1
    lookups = [connect() for _ in range(threads)]
    keys = [keys_of(number * rows // threads, rows, count) for number in range(threads)]

    def work(end: float) -> list[tuple[int, int]]:
        """What each thread has done until then."""
        results: list[tuple[int, int]] = []

        def one(number: int) -> None:
            results.append(look_up(lookups[number], keys[number], end))

        workers = [threading.Thread(target=one, args=(number,)) for number in range(threads)]
        if threads == 1:
            one(0)
        else:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        return results

    work(time.perf_counter() + 0.1)  # connected, and warm
    begin, cpu = time.perf_counter(), time.process_time()
    results = work(begin + seconds)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - begin,
                "cpu": time.process_time() - cpu,
                "lookups": sum(done for done, _ in results),
                "wrong": sum(wrong for _, wrong in results),
            }
        )
    )


main()
