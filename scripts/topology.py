"""./run topology: several servers on loopback, and a session that shows what they are for.

    replicas  a primary with semi-sync and two read replicas; with --once, one is promoted, too
    galera    three nodes of a Galera cluster; with --once, one is killed, too
    shards    two servers, each with a part of the rows; the client chooses by the key
    spider    a server with a table that Spider spreads over two others

The shell part (../run) calls this with the same arguments, after provisioning and building.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import replication
import sample_table
import topology_cost
from galera_cluster import Cluster
from private_server import PrivateServer
from run_report import say, show, step
from server_files import ServerError

FIRST_READ_PORT = 9998
FIRST_SQL_PORT = 13306
ROWS = 1000
WAIT_MS = 60_000
TIMEOUT_S = 60

Ports = list[dict[str, int]]
Asked = Sequence[object]


class WrongAnswer(Exception):
    """An answer that is not the expected one."""


def ports(count: int, free: bool) -> Ports:
    """Arguments for each server: fixed ports, as the page has them, or free ones."""
    if free:
        return [{} for _ in range(count)]
    return [
        {
            "port": FIRST_READ_PORT + 10 * number,
            "port_wr": FIRST_READ_PORT + 10 * number + 1,
            "sql_port": FIRST_SQL_PORT + number,
        }
        for number in range(count)
    ]


@dataclass
class Topology:
    """Servers that run, by what each of them is, and what a client does with them."""

    servers: list[tuple[str, PrivateServer]]
    session: Callable[[Topology], None]
    outage: Callable[[Topology], None]  # how it lives on without one of them

    def server(self, number: int) -> PrivateServer:
        return self.servers[number][1]

    def table(self) -> str:
        lines = [f"{'':12}{'read port':>10}{'write port':>11}{'SQL port':>9}"]
        for name, server in self.servers:
            lines.append(f"{name:12}{server.port:10}{server.port_wr:11}{server.sql_port:9}")
        return "\n".join(lines)


# --- a client ---


def ask(port: int, *requests: Asked) -> list[list[str]]:
    """Sends all requests at once, and returns the tokens of each reply."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as connection:
        sent = "".join("\t".join(map(str, tokens)) + "\n" for tokens in requests)
        connection.sendall(sent.encode())
        replies = connection.makefile("rb")
        return [replies.readline().decode().rstrip("\n").split("\t") for _ in requests]


def expect(port: int, what: str, *exchanges: tuple[Asked, list[str]]) -> None:
    """Asks, and compares each reply with the expected one. `what` says it to the reader."""
    replies = ask(port, *(request for request, _ in exchanges))
    for (request, wanted), reply in zip(exchanges, replies):
        if reply != wanted:
            raise WrongAnswer(f"{what}: {request} was answered {reply}, not {wanted}")
    show(f"  {what} (port {port})")


def opened(index: int, columns: str) -> tuple[Asked, list[str]]:
    return ("P", index, "test", "user", "PRIMARY", columns), ["0", "1"]


def insert(number: int, name: str) -> list[tuple[Asked, list[str]]]:
    return [opened(1, "user_id,user_name"), ((1, "+", 2, number, name), ["0", "1"])]


def find(number: int, *found: str) -> list[tuple[Asked, list[str]]]:
    return [opened(1, "user_name"), ((1, "=", 1, number), ["0", "1", *found])]


# --- the topologies ---


def replicas(folder: Path, at: Ports) -> Topology:
    names = ["primary", "replica 1", "replica 2"]
    servers = [
        PrivateServer(
            folder / name.replace(" ", ""),
            variables=replication.variables(number + 1, is_replica=number > 0),
            **at[number],
        ).start()
        for number, name in enumerate(names)
    ]
    replication.begin(servers[0], servers[1:])
    sample_table.make(servers[0], ROWS, lambda _: None)
    return Topology(list(zip(names, servers)), write_here_read_there, promote)


def write_here_read_there(made: Topology) -> None:
    """One writes on the primary, and reads its own change on the replicas."""
    primary = made.server(0)
    opening, inserting = insert(5001, "on the primary")
    *replies, gtid = ask(primary.port_wr, opening[0], inserting[0], ("G", "L"))
    if replies != [["0", "1"], ["0", "1"]] or gtid[:2] != ["0", "1"]:
        raise WrongAnswer(f"the insert was answered {replies}, its GTID {gtid}")
    show(f"  a row is inserted on the primary (port {primary.port_wr}): its GTID is {gtid[2]}")
    waited: tuple[Asked, list[str]] = (("G", "W", gtid[2], WAIT_MS), ["0", "1", "1"])
    for name, server in made.servers[1:]:
        expect(server.port, f"{name} has it, behind that GTID", waited, *find(5001, "on the primary"))


def promote(made: Topology) -> None:
    """The primary dies; a replica that has all that was answered takes its place."""
    made.server(0).kill9()
    new, _ = replication.promote_one([server for _, server in made.servers[1:]])
    show("  the primary was killed, and a replica promoted")
    expect(new.port, "the new primary has the row", *find(5001, "on the primary"))
    expect(new.port_wr, "and takes others", *insert(5002, "on the new primary"))


def galera(folder: Path, at: Ports) -> Topology:
    cluster = Cluster(folder, logs=(True,) * len(at), ports=at).start()
    sample_table.make(cluster.nodes[0], ROWS, lambda _: None)
    cluster.wait_until_applied()
    names = [f"node {number + 1}" for number in range(len(at))]
    return Topology(list(zip(names, cluster.nodes)), write_anywhere, lose_a_node)


def write_anywhere(made: Topology) -> None:
    """Each node takes changes, and all have them a moment later."""
    for number, (name, server) in enumerate(made.servers):
        expect(server.port_wr, f"{name} takes a row", *insert(5001 + number, name))
    for name, server in made.servers:
        for number, (writer, _) in enumerate(made.servers):
            wait_for_row(server, 5001 + number, writer)
        show(f"  {name} has the rows of all (port {server.port})")


def wait_for_row(server: PrivateServer, number: int, value: str) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    requests = find(number, value)
    while ask(server.port, *(request for request, _ in requests))[1] != requests[1][1]:
        if time.monotonic() > deadline:
            raise WrongAnswer(f"port {server.port} has no row {number}")


def lose_a_node(made: Topology) -> None:
    """A node dies. The others go on without a failover."""
    made.server(0).kill9()
    show("  node 1 was killed")
    for number in (1, 2):
        name, server = made.servers[number]
        expect(server.port_wr, f"{name} still takes rows", *insert(5010 + number, name))
        expect(server.port, f"{name} still has node 1's", *find(5001, "node 1"))


def shards(folder: Path, at: Ports) -> Topology:
    names = ["shard 0", "shard 1"]
    servers = [
        PrivateServer(folder / name.replace(" ", ""), **at[number]).start()
        for number, name in enumerate(names)
    ]
    for server in servers:
        server.sql("CREATE DATABASE test")
        server.sql(sample_table.TABLE)
    return Topology(list(zip(names, servers)), write_to_shards, lose_a_shard)


def shard_of(made: Topology, key: int) -> PrivateServer:
    """As every client must choose it."""
    return made.server(zlib.crc32(str(key).encode()) % len(made.servers))


def write_to_shards(made: Topology) -> None:
    """Each row is on one shard, and every client knows on which."""
    for key in range(5001, 5007):
        server = shard_of(made, key)
        for request in (insert(key, f"row {key}"),):
            expect(server.port_wr, f"row {key} goes to its shard", *request)
    for name, server in made.servers:
        (count,) = server.sql("SELECT COUNT(*) FROM test.user")[0]
        show(f"  {name} has {count} of the 6 rows")
    for key in range(5001, 5007):
        expect(shard_of(made, key).port, f"row {key} is found there", *find(key, f"row {key}"))


def lose_a_shard(made: Topology) -> None:
    """A shard dies. The rows of the others are still served."""
    made.server(0).kill9()
    show("  shard 0 was killed")
    for key in range(5001, 5007):
        if shard_of(made, key) is made.server(1):
            expect(made.server(1).port, f"row {key} is still found", *find(key, f"row {key}"))


def spider(folder: Path, at: Ports) -> Topology:
    names = ["front", "shard 0", "shard 1"]
    servers = [
        PrivateServer(
            folder / name.replace(" ", ""),
            variables={} if number else {"plugin_maturity": "gamma"},
            **at[number],
        ).start()
        for number, name in enumerate(names)
    ]
    front, *behind = servers
    front.sql("INSTALL SONAME 'ha_spider'")
    front.sql("SET GLOBAL spider_conn_recycle_mode = 1")
    parts = []
    for number, server in enumerate(behind):
        server.sql("CREATE DATABASE test")
        server.sql(sample_table.TABLE)
        server.sql("CREATE USER front@'127.0.0.1' IDENTIFIED BY 'secret'")
        server.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON test.* TO front@'127.0.0.1'")
        front.sql(
            f"CREATE SERVER shard_{number} FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1',"
            f" PORT {server.sql_port}, DATABASE 'test', USER 'front', PASSWORD 'secret')"
        )
        parts.append(f"PARTITION p{number} COMMENT = 'srv \"shard_{number}\"'")
    front.sql("CREATE DATABASE test")
    front.sql(sample_table.TABLE)
    front.sql(
        "ALTER TABLE test.user ENGINE = SPIDER COMMENT = 'wrapper \"mysql\", table \"user\"'"
        f" PARTITION BY HASH (user_id) ({', '.join(parts)})"
    )
    return Topology(list(zip(names, servers)), write_through_spider, lose_a_shard_of_spider)


def write_through_spider(made: Topology) -> None:
    """The client knows one server, which finds the shard."""
    front = made.server(0)
    for key in range(5001, 5007):
        expect(front.port_wr, f"row {key} goes through the first server", *insert(key, f"row {key}"))
    for name, server in made.servers[1:]:
        (count,) = server.sql("SELECT COUNT(*) FROM test.user")[0]
        show(f"  {name} has {count} of the 6 rows")
    for key in range(5001, 5007):
        expect(front.port, f"row {key} is found through it", *find(key, f"row {key}"))


def lose_a_shard_of_spider(made: Topology) -> None:
    """A shard dies. The rows of the other are still served."""
    kept = [int(key) for (key,) in made.server(2).sql("SELECT user_id FROM test.user")]
    made.server(1).kill9()
    show("  shard 0 was killed")
    for key in kept:
        expect(made.server(0).port, f"row {key} is still found", *find(key, f"row {key}"))


TOPOLOGIES = {
    "replicas": (replicas, 3),
    "galera": (galera, 3),
    "shards": (shards, 2),
    "spider": (spider, 3),
}


# --- the command ---


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run topology", description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=TOPOLOGIES)
    parser.add_argument(
        "--once",
        action="store_true",
        help="on free ports; show the session, kill a server, show that the others go on, and end",
    )
    parser.add_argument(
        "--measure",
        action="store_true",
        help="on free ports; measure what a durable write costs with each arrangement of the servers, and end",
    )
    options = parser.parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    start, count = TOPOLOGIES[options.name]
    with tempfile.TemporaryDirectory(prefix="hs-") as folder, ExitStack() as cleanup:
        try:
            with step(f"starting {options.name}: {count} servers below {folder}"):
                made = start(Path(folder), ports(count, options.once or options.measure))
            for _, server in made.servers:
                cleanup.callback(server.kill9)
            show(made.table())
            if options.measure:
                topology_cost.measure(options.name, [server for _, server in made.servers])
                return 0
            made.session(made)
            if options.once:
                made.outage(made)
                show("Every answer is as it should be.")
                return 0
            say("They serve until Ctrl-C. Their data goes with them.")
            signal.pause()
        except (ServerError, WrongAnswer, OSError) as error:
            say(f"error: {error}")
            return 1
        except KeyboardInterrupt:
            pass
    return 0


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))
