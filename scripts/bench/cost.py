"""The section cost: what accounts, counters and TLS add to a lookup.

One server is all of ours. Between two measurements its plugin is taken out and put in again, with
other settings or as another build, so that the rows, their pages and the hash index are the same.
"""

from __future__ import annotations

import argparse
import resource
import socket
import ssl
import time
from collections.abc import Sequence
from contextlib import ExitStack

from private_server import PrivateServer
from run_report import say, step
from server_files import PLUGIN_FILE, ServerError

from bench import lookups, machine
from bench.load import Case
from bench.preparation import UNCOUNTED
from bench.run import Run
from bench.settings import COST

SERVER = "ours" + COST
SHAPES = ((100, 1), (32, 32))
REDIS_SHAPE = SHAPES[0]
REDIS = "redis-tls"
# Many short measurements: what a virtual machine's speed does meanwhile is more than what is looked
# for, but two neighbours have much the same of it.
PASSES = 8  # in each round
TLS_EVERY = 4  # passes; it costs so much more that few suffice
SECONDS = 0.3
USER = "bench"
COLUMNS = "user_id, user_name, user_email, created"
PLAIN, ACCOUNT, UNCOUNTED_TARGET, TLS = "ours", "ours account", "ours uncounted", "ours tls"

IDLE = 20_000  # connections
IDLE_QUICK = 1_000
IDLE_LEAST = 100
IDLE_BATCH = 1_000
QUIET_SECONDS = 3.0  # after which a connection holds no more than an idle one
SPARE_DESCRIPTORS = 200  # of this process
SOURCES = 8  # addresses; each has ports for more than IDLE / SOURCES connections
TIMEOUT_SECONDS = 20


def cases(*, uncounted: bool) -> list[Case]:
    """Everything that hs bench measures. `uncounted`: there is a plugin that does not count."""
    made = []
    for connections, depth in SHAPES:
        name = lookups.shape_name(connections, depth)
        made += [
            Case(name, PLAIN, connections, depth, server=SERVER),
            Case(name, ACCOUNT, connections, depth, server=SERVER, user=USER),
            Case(name, TLS, connections, depth, server=SERVER, tls=True),
        ]
        if uncounted:
            made.append(Case(name, UNCOUNTED_TARGET, connections, depth, server=SERVER))
    connections, depth = REDIS_SHAPE
    name = lookups.shape_name(connections, depth)
    for target in ("redis", "redis tls"):
        made.append(Case(name, target, connections, depth, server=REDIS, tls="tls" in target))
    return made


def in_turns(all_cases: Sequence[Case], number: int) -> list[Case]:
    """Those of a pass. What is compared comes close together, and each target at every place."""
    found: dict[str, list[Case]] = {}
    for case in all_cases:
        if number % TLS_EVERY == 1 or not (case.tls or case.server == REDIS):
            found.setdefault(case.name, []).append(case)
    turned = []
    for same in found.values():
        first = number % len(same)
        order = same[first:] + same[:first]
        turned += order if number % 2 else order[::-1]
    return turned


def briefly(run: Run) -> Run:
    """The same run with shorter measurements."""
    seconds = min(SECONDS, run.options.seconds)
    options = argparse.Namespace(**{**vars(run.options), "seconds": seconds})
    return Run(options, run.servers, run.results)


def cost(run: Run) -> None:
    """All of it in turns, and then the memory of idle connections."""
    run = briefly(run)
    uncounted = run.options.build / UNCOUNTED
    is_there = (uncounted / PLUGIN_FILE.name).exists()
    if not is_there:
        say(f"there is no plugin that does not count in {uncounted}: its cost is not measured")
    found = cases(uncounted=is_there)
    run.start(found)
    server = run.servers.database(SERVER)
    _grant(server)

    def before(case: Case) -> Case:
        if case.server == SERVER:
            asked = "account" if case.user else "none"
            build = uncounted if case.target == UNCOUNTED_TARGET else run.options.build
            run.servers.replace_plugin(SERVER, build, {"handlersocket_authentication": asked})
        return case

    for number in range(1, PASSES * run.options.rounds + 1):
        say(f"cost, pass {number} of {PASSES * run.options.rounds}")
        for case in in_turns(found, number):
            run.measure("cost", case, number, before)
    run.servers.stop(SERVER)  # so that it holds no memory of closed connections
    most = IDLE_QUICK if run.options.quick else IDLE
    with step("opening idle TLS connections"):
        count, held = idle(run.servers.database(SERVER), most)
    run.results.note("cost", "idle_connections", count)
    run.results.note("cost", "idle_kib", held)
    say(f"cost: {count:,} idle TLS connections, {held:.1f} KiB each")
    run.servers.stop(SERVER)


def _grant(server: PrivateServer) -> None:
    server.sql(f"CREATE OR REPLACE USER {USER} IDENTIFIED BY '{USER}'")
    server.sql(f"GRANT SELECT ({COLUMNS}) ON test.user TO {USER}")


def idle(server: PrivateServer, most: int) -> tuple[int, float]:
    """How many idle TLS connections there could be, and the KiB of memory that each took.

    Each has opened an index and found a row.
    """
    before = machine.resident_kib(server.pid)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    with ExitStack() as stack:
        count = 0
        while count < min(most, files - SPARE_DESCRIPTORS):
            try:
                client = stack.enter_context(_client(server.port, count, tls))
                _use(client)
            except OSError as error:  # ssl.SSLError among them: the server takes no more
                if count < IDLE_LEAST:
                    raise ServerError(f"no TLS connection: {error}") from None
                break
            count += 1
        time.sleep(QUIET_SECONDS)
        return count, (machine.resident_kib(server.pid) - before) / count


def _client(port: int, number: int, tls: ssl.SSLContext) -> ssl.SSLSocket:
    """Over one of several addresses, since each has no more than some 28,000 ports."""
    source = (f"127.0.0.{2 + number % SOURCES}", 0)
    plain = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS, source)
    try:
        return tls.wrap_socket(plain)
    except OSError:
        plain.close()
        raise


def _use(client: ssl.SSLSocket) -> None:
    columns = COLUMNS.replace(" ", "").partition(",")[2]
    for request in (f"P\t1\ttest\tuser\tPRIMARY\t{columns}\n", "1\t=\t1\t7\n"):
        client.sendall(request.encode())
        answer = client.recv(1 << 12)
        if not answer.startswith(b"0\t"):
            raise ConnectionRefusedError(answer.decode(errors="replace"))
