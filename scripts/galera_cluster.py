"""A Galera cluster on loopback, each node with the plugin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import server_files
from ports import free_port
from private_server import PrivateServer

# Where the server looks for the scripts of state transfers.
SCRIPTS = Path(__file__).resolve().parent / "galera"
PROVIDER = server_files.SERVER_ROOT / "usr/lib/galera/libgalera_smm.so"
ARBITRATOR = server_files.SERVER_ROOT / "usr/bin/garbd"
TIMEOUT_S = 60


class Cluster:
    """`logs`: for each node, whether it writes a binary log. `ports`: arguments of each node's
    PrivateServer, where its ports are not to be free ones."""

    def __init__(
        self,
        folder: Path,
        logs: tuple[bool, ...] = (True, False, True),
        ports: Sequence[Mapping[str, int]] = (),
    ) -> None:
        self._ports = [free_port() for _ in logs]
        self.nodes = [
            PrivateServer(
                folder / f"node{number}",
                variables=self._variables(number, log),
                environment={"PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
                **(ports[number] if ports else {}),
            )
            for number, log in enumerate(logs)
        ]

    def _variables(self, number: int, log: bool) -> dict[str, object]:
        port = self._ports[number]
        options = {
            "gmcast.listen_addr": f"tcp://127.0.0.1:{port}",
            "base_port": port,
            "ist.recv_addr": f"127.0.0.1:{free_port()}",
            "gcache.size": "64M",
            "pc.recovery": "false",
            "evs.keepalive_period": "PT0.3S",
            "evs.suspect_timeout": "PT2S",
            "evs.inactive_timeout": "PT6S",
        }
        return {
            "wsrep_on": "ON",
            "wsrep_provider": PROVIDER,
            "wsrep_cluster_name": "hs",
            "wsrep_cluster_address": "gcomm://" + ",".join(f"127.0.0.1:{one}" for one in self._ports),
            "wsrep_node_address": "127.0.0.1",
            "wsrep_node_name": f"node{number}",
            "wsrep_provider_options": ";".join(f"{name}={value}" for name, value in options.items()),
            "wsrep_sst_method": "place",
            "wsrep_slave_threads": 2,
            "binlog_format": "ROW",
            "innodb_autoinc_lock_mode": 2,
            "innodb_lock_wait_timeout": 20,
            "server_id": number + 1,
            "handlersocket_threads_wr": 4,
            **({"log_bin": "log", "log_slave_updates": "ON"} if log else {}),
        }

    def start(self) -> Cluster:
        """The others begin with copies of the first node's data."""
        first, *others = self.nodes
        self._start(first, "--wsrep-new-cluster")
        first.stop()
        for node in others:
            shutil.copytree(first.data_directory, node.data_directory)
        self._start(first, "--wsrep-new-cluster")
        for node in others:
            node.start()
        self.wait_until_synced()
        return self

    def _start(self, node: PrivateServer, argument: str) -> None:
        """The argument is for this start alone."""
        node.arguments = [argument]
        node.start()
        node.arguments = []

    def start_again(self, node: PrivateServer) -> None:
        """A node that was killed, while another one lives. As systemd's unit of the server does it."""
        command = [*node.command(), "--wsrep-recover", f"--log-error={node.directory / 'recover.log'}"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S)
        log = (node.directory / "recover.log").read_text(errors="replace")
        place = re.findall(r"Recovered position: (\S+)", log)[-1]
        self._start(node, f"--wsrep-start-position={place}")
        self.wait_until_synced()

    @contextmanager
    def arbitrated(self) -> Iterator[None]:
        """With an arbitrator that comes before all nodes in the order of the members."""
        log = self.nodes[0].directory / "garbd.log"
        options = f"gmcast.listen_addr=tcp://127.0.0.1:{free_port()}"
        place = "gcomm://" + ",".join(f"127.0.0.1:{one}" for one in self._ports)
        arbitrator = subprocess.Popen(
            [ARBITRATOR, "--group", "hs", "--address", place, "--options", options, "--log", log]
        )
        try:
            wait_for(self.nodes[0], "wsrep_cluster_size", str(len(self.nodes) + 1))
            # The order is that of identifiers, which grow with the time but for once in seven minutes.
            while any(status(node, "wsrep_local_index") == "0" for node in self.nodes):
                for node in self.nodes:
                    node.stop()
                    node.start()
                    wait_for(node, "wsrep_local_state_comment", "Synced")
            yield
        finally:
            arbitrator.terminate()
            arbitrator.wait(TIMEOUT_S)
            wait_for(self.nodes[0], "wsrep_cluster_size", str(len(self.nodes)))

    def wait_until_synced(self) -> None:
        """Until every node that runs is one of the cluster, and has applied what is there."""
        running = [node for node in self.nodes if node.running]
        for node in running:
            wait_for(node, "wsrep_cluster_size", str(len(running)))
            wait_for(node, "wsrep_local_state_comment", "Synced")
        self.wait_until_applied()

    def wait_until_applied(self) -> None:
        """Until what was committed anywhere is to be seen everywhere."""
        wait_until_applied([node for node in self.nodes if node.running])

    def close(self) -> None:
        for node in self.nodes:
            node.close()


@contextmanager
def started(folder: Path) -> Iterator[Cluster]:
    """A cluster that runs until the end of the block."""
    made = Cluster(folder)
    try:
        yield made.start()
    finally:
        made.close()


def status(node: PrivateServer, name: str) -> str:
    """Asked again where the connection was lost: a node closes all when its state changes."""
    import pymysql  # only here: a server can be started without it

    while True:
        with suppress(pymysql.OperationalError):
            return str(node.sql("SHOW GLOBAL STATUS WHERE variable_name = %s", [name])[0][1])
        assert node.running, node.error_log()[-2000:]


def wait_until_applied(nodes: Sequence[PrivateServer]) -> None:
    """Until what was committed on one of the nodes is to be seen on all of them."""
    last = max(int(status(node, "wsrep_last_committed")) for node in nodes)
    for node in nodes:
        deadline = time.monotonic() + TIMEOUT_S
        while int(status(node, "wsrep_last_committed")) < last:
            assert time.monotonic() < deadline, f"a node has not applied {last}"


def wait_for(node: PrivateServer, name: str, value: str) -> None:
    """Until the node's status variable has the value."""
    deadline = time.monotonic() + TIMEOUT_S
    while (now := status(node, name)) != value:
        assert time.monotonic() < deadline, f"{name} is {now}, not {value}"
        time.sleep(0.01)
