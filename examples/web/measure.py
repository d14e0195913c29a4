#!/usr/bin/python3
"""Runs the application with each store, while SQL changes rows, and prints a table.

measure.py [--users N] [--requests N] [--threads N]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import quantiles

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from bench import processes  # noqa: E402
from ports import accepts, free_port  # noqa: E402
from private_server import PrivateServer  # noqa: E402

STORES = {
    "by_plugin": "the plugin",
    "by_redis": "the plugin, by a client of Redis",
    "by_cache": "Redis, cache-aside",
}
CHANGED_EACH = 10  # requests of a thread, behind which it changes a row by SQL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=5000, help="of each thread")
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with ExitStack() as stack:
        resp_port = free_port()
        variables = {"handlersocket_resp_port": resp_port}
        server = stack.enter_context(PrivateServer(variables=variables))
        directory = server.directory / "redis"
        redis = stack.enter_context(processes.running("redis", directory, directory, 0))
        fill(server, options.users)
        print("| | requests/s | p50, ms | p99, ms | stale | lines |\n|---|--:|--:|--:|--:|--:|")
        for store, name in STORES.items():
            with application(store, server, resp_port, redis.port) as port:
                try_visit(port)
                seconds, times, stale = load(server, port, options)
            cuts = quantiles(times, n=100)
            rate = len(times) / seconds
            print(
                f"| {name} | {rate:,.0f} | {1000 * cuts[49]:.2f} | {1000 * cuts[98]:.2f} "
                f"| {stale} of {len(times)} | {lines(store)} |"
            )


def fill(server: PrivateServer, users: int) -> None:
    server.sql("CREATE DATABASE shop")
    server.sql(
        "CREATE TABLE shop.user (id INT UNSIGNED PRIMARY KEY, name VARCHAR(40) NOT NULL, "
        "visits INT UNSIGNED NOT NULL DEFAULT 0) COMMENT 'hs: name=user'"
    )
    rows = f"SELECT seq, '0', 0 FROM seq_1_to_{users}"
    server.sql(f"INSERT INTO shop.user {rows}", database="shop")
    server.sql("CREATE USER shop@'127.0.0.1'")
    server.sql("GRANT SELECT, UPDATE ON shop.* TO shop@'127.0.0.1'")


@contextmanager
def application(
    store: str, server: PrivateServer, resp_port: int, redis_port: int
) -> Iterator[int]:
    """Its port."""
    port = free_port()
    environment = {
        **os.environ,
        "STORE": store,
        "HS_URL": f"hs://127.0.0.1:{server.port}?write_port={server.port_wr}",
        "SQL_PORT": str(server.sql_port),
        "RESP_PORT": str(resp_port),
        "REDIS_PORT": str(redis_port),
        "PYTHONPATH": str(REPOSITORY / "clients/python/src"),
    }
    process = subprocess.Popen([sys.executable, str(HERE / "app.py"), str(port)], env=environment)
    try:
        while not accepts("127.0.0.1", port):
            if process.poll() is not None:
                raise SystemExit(f"{store} does not start")
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait()


def try_visit(port: int) -> None:
    """A visit is in the report at once."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    visits = []
    for method, path in (("GET", "/report"), ("POST", "/user/1/visit"), ("GET", "/report")):
        connection.request(method, path)
        visits.append(json.loads(connection.getresponse().read()).get("visits"))
    connection.close()
    if visits[2] != visits[0] + 1:
        raise SystemExit(f"the report has {visits[2]} visits after {visits[0]} and one more")


def load(
    server: PrivateServer, port: int, options: argparse.Namespace
) -> tuple[float, list[float], int]:
    """Seconds, the time of each request, and how many answers were older than the request.

    Each thread has users of its own and changes their names, so it knows what a read must show.
    """
    times: list[float] = []
    stale: list[int] = []

    def work(number: int) -> None:
        choice = random.Random(number)
        mine = range(1 + number, options.users + 1, options.threads)
        names = {}
        http_connection = http.client.HTTPConnection("127.0.0.1", port)
        sql = server.connect(database="shop")
        for request in range(options.requests):
            id = choice.choice(mine)
            if request % CHANGED_EACH == 0:
                names[id] = f"{port}-{request}"
                with sql.cursor() as cursor:
                    cursor.execute("UPDATE user SET name = %s WHERE id = %s", (names[id], id))
            begin = time.perf_counter()
            http_connection.request("GET", f"/user/{id}")
            found = json.loads(http_connection.getresponse().read())
            times.append(time.perf_counter() - begin)
            if id in names and found["name"] != names[id]:
                stale.append(id)
        sql.close()
        http_connection.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(options.threads)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin, times, len(stale)


def lines(store: str) -> int:
    """Lines of code, without blank ones and the text at the top."""
    text = (HERE / f"{store}.py").read_text(encoding="utf-8").splitlines()
    return sum(1 for line in text[1:] if line.strip())


if __name__ == "__main__":
    main()
