"""What is written on one node of a Galera cluster is on all, or it is refused."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest
from galera_cluster import Cluster, status, wait_for
from hs_client import Client, line, wait_for_a_lock_wait
from private_server import PrivateServer

pytestmark = pytest.mark.usefixtures("database")
NOT_READY = b"1\t1\tsql_1047 WSREP has not yet prepared node for application use"


@pytest.fixture(params=[0, 1], ids=["with a binary log", "without"])
def node(request: pytest.FixtureRequest, cluster: Cluster) -> PrivateServer:
    return cluster.nodes[request.param]


@pytest.fixture
def writer(node: PrivateServer) -> Iterator[Client]:
    with Client(node.port_wr) as client:
        client.open("hs.t", ["id", "v"])
        yield client


def rows(cluster: Cluster, query: str = "SELECT id, v FROM hs.t ORDER BY id") -> list[tuple[int, ...]]:
    """The same on all nodes."""
    cluster.wait_until_applied()
    found = [node.sql(query) for node in cluster.nodes]
    assert found.count(found[0]) == len(found), found
    return list(found[0])


def test_changes_are_on_all_nodes(cluster: Cluster, writer: Client) -> None:
    assert writer.request(1, "+", 2, 4, 40) == b"0\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, 11) == b"0\t1\t1"
    assert writer.request(1, "=", 1, 2, 1, 0, "D") == b"0\t1\t1"
    assert rows(cluster) == [(1, 11), (3, 0), (4, 40)]


def test_a_group_is_one_transaction_of_the_cluster(
    cluster: Cluster, node: PrivateServer, writer: Client
) -> None:
    writer.request(1, "=", 1, 1)
    before = int(status(node, "wsrep_replicated"))
    replies = writer.pipeline([line(1, "+", 2, number, 1) for number in range(10, 60)])
    assert replies == [b"0\t1"] * 50
    assert int(status(node, "wsrep_replicated")) - before == 1
    assert len(rows(cluster)) == 53


def test_what_was_refused_in_a_group_is_on_no_node(cluster: Cluster, writer: Client) -> None:
    replies = writer.pipeline(
        [line(1, "+", 2, 4, 1), line(1, "+", 2, 1, 1), line(1, "+", 2, 5, "x"), line(1, "+", 2, 6, 1)]
    )
    assert replies[:2] == [b"0\t1", b"1\t1\t121"]
    assert replies[2].startswith(b"1\t1\t") and replies[3] == b"0\t1"
    assert rows(cluster) == [(1, 0), (2, 0), (3, 0), (4, 1), (6, 1)]


def test_a_range_that_fails_half_way_leaves_nothing_on_any_node(
    cluster: Cluster, writer: Client
) -> None:
    assert writer.pipeline([line(1, "+", 2, 9, 0), line(1, ">=", 1, 1, 9, 0, "U", 5, 5)]) == [
        b"0\t1",
        b"1\t1\t121",
    ]
    assert rows(cluster) == [(1, 0), (2, 0), (3, 0), (9, 0)]


def test_foreign_keys_cascade_on_all_nodes(cluster: Cluster, writer: Client) -> None:
    cluster.nodes[0].sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT,"
        " FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE CASCADE)"
    )
    cluster.nodes[0].sql("INSERT INTO hs.child VALUES (1, 1), (2, 2)")
    cluster.wait_until_applied()
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    assert rows(cluster, "SELECT id FROM hs.child") == [(2,)]


@pytest.mark.parametrize(
    "change", ["ENGINE = MyISAM", "ENGINE = Aria TRANSACTIONAL = 1"]
)
def test_what_would_stay_on_this_node_is_refused(
    cluster: Cluster, node: PrivateServer, change: str
) -> None:
    cluster.nodes[0].sql(f"CREATE TABLE hs.other (id INT PRIMARY KEY, v INT) {change}")
    cluster.wait_until_applied()
    with Client(node.port_wr) as client:
        client.open("hs.other", ["id", "v"])
        assert client.request(1, "+", 2, 1, 1) == b"1\t1\tunsupported_table"
        assert client.request(1, "=", 1, 1) == b"0\t2"


def test_changes_with_triggers_are_refused(
    cluster: Cluster, node: PrivateServer, writer: Client
) -> None:
    assert writer.request(1, "+", 2, 4, 1) == b"0\t1"
    cluster.nodes[0].sql(
        "CREATE TRIGGER hs.g BEFORE INSERT ON hs.t FOR EACH ROW SET NEW.v = NEW.v + 1"
    )
    cluster.wait_until_applied()
    assert writer.request(1, "+", 2, 5, 1) == b"1\t1\tunsupported_table"
    cluster.nodes[0].sql("DROP TRIGGER hs.g")
    cluster.wait_until_applied()
    assert writer.request(1, "+", 2, 5, 1) == b"0\t1"
    assert rows(cluster)[3:] == [(4, 1), (5, 1)]


@pytest.mark.parametrize(
    ("setting", "value", "default"), [("wsrep_max_ws_rows", 5, 0), ("wsrep_certify_nonPK", 0, 1)]
)
def test_changes_are_refused_where_rows_may_fail_behind_the_engine(
    cluster: Cluster, node: PrivateServer, writer: Client, setting: str, value: int, default: int
) -> None:
    """Such a failure undoes the transaction, or leaves the row: other requests would be told wrong."""
    node.sql(f"SET GLOBAL {setting} = {value}")
    try:
        replies = writer.pipeline([line(1, "+", 2, number, 1) for number in range(10, 30)])
        assert replies == [b"1\t1\tunsupported_table"] * 20
        assert writer.request(1, "=", 1, 1, 1, 0) == b"0\t2\t1\t0"
    finally:
        node.sql(f"SET GLOBAL {setting} = {default}")
    assert writer.request(1, "+", 2, 4, 0) == b"0\t1"
    assert rows(cluster) == [(1, 0), (2, 0), (3, 0), (4, 0)]


def test_transactions_of_clients_are_refused_as_a_whole(cluster: Cluster, writer: Client) -> None:
    lost = b"1\t1\ttransaction_lost"
    replies = writer.pipeline([line("T", "B"), line(1, "+", 2, 4, 1), line("T", "C"), line(1, "+", 2, 5, 1)])
    assert replies == [b"2\t1\tnotimpl", lost, lost, b"0\t1"]
    assert rows(cluster) == [(1, 0), (2, 0), (3, 0), (5, 1)]


def test_sessions_follow_wsrep_on_as_new_connections_do(
    cluster: Cluster, node: PrivateServer, writer: Client
) -> None:
    """They take it when they begin to use tables, so a request or more may still be as before."""
    assert writer.request(1, "+", 2, 4, 0) == b"0\t1"
    node.sql("SET GLOBAL wsrep_on = OFF")
    try:
        while writer.request("T", "B") == b"2\t1\tnotimpl":
            writer.request("T", "R")
        assert writer.request("T", "R") == b"0\t1"
    finally:
        node.sql("SET GLOBAL wsrep_on = ON")
    while (reply := writer.request(1, "+", 2, 5, 0)) != b"0\t1":
        assert reply == b"1\t1\tunsupported_table"
    assert writer.request("T", "B") == b"2\t1\tnotimpl"
    assert writer.request("T", "R") == b"0\t1"
    assert rows(cluster) == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]


def test_views_of_many_requests_work_on_the_read_port(cluster: Cluster, node: PrivateServer) -> None:
    with Client(node.port) as reader:
        reader.open("hs.t", ["id", "v"])
        assert reader.pipeline([line("T", "B", "RR", "RO"), line(1, "=", 1, 1)]) == [b"0\t1", b"0\t2\t1\t0"]
        cluster.nodes[0].sql("UPDATE hs.t SET v = 9 WHERE id = 1")
        cluster.wait_until_applied()
        replies = reader.pipeline([line(1, "=", 1, 1), line("T", "C"), line(1, "=", 1, 1)])
        assert replies == [b"0\t2\t1\t0", b"0\t1", b"0\t2\t1\t9"]


def columns(node: PrivateServer) -> list[str]:
    return [name for (name,) in node.sql("SELECT column_name FROM information_schema.columns WHERE table_schema = 'hs'")]


@pytest.mark.parametrize("rests", [True, False])
def test_views_of_many_requests_give_way_to_ddl_of_the_cluster(
    cluster: Cluster, node: PrivateServer, rests: bool
) -> None:
    """As transactions of SQL do: what comes behind the DDL waits for it on this node, and soon on all."""
    other = cluster.nodes[2]
    node.sql("SET GLOBAL handlersocket_transaction_timeout = 3600")
    lost = b"1\t1\ttransaction_lost"
    try:
        with Client(node.port) as reader:
            reader.open("hs.t", ["id", "v"])
            assert reader.pipeline([line("T", "B", "RR", "RO"), line(1, "=", 1, 1)]) == [b"0\t1", b"0\t2\t1\t0"]
            altering = threading.Thread(target=other.sql, args=("ALTER TABLE hs.t ADD x INT",))
            altering.start()
            while "x" not in columns(node):
                if not rests and reader.request(1, "=", 1, 1) == lost:
                    rests = True
            altering.join()
            assert reader.pipeline([line(1, "=", 1, 1), line("T", "C"), line(1, "=", 1, 1)]) == [lost, lost, b"0\t2\t1\t0"]
    finally:
        node.sql("SET GLOBAL handlersocket_transaction_timeout = DEFAULT")


def test_one_node_deletes_rows_that_have_expired(cluster: Cluster) -> None:
    cluster.nodes[0].sql(
        "CREATE TABLE hs.e (id INT PRIMARY KEY, until DATETIME(3), KEY (until)) COMMENT = 'hs: ttl=until'"
    )
    cluster.nodes[0].sql("INSERT INTO hs.e VALUES (1, NOW() - INTERVAL 1 DAY), (2, NOW() + INTERVAL 1 DAY)")
    cluster.wait_until_applied()
    purging = next(node for node in cluster.nodes if status(node, "wsrep_local_index") == "0")
    waiting = [node for node in cluster.nodes if node is not purging]
    for node in (*waiting, purging):
        with Client(node.port) as reader:
            reader.open("hs.e", ["id"])
            assert reader.request(1, ">=", 1, 0, 9) == b"0\t1\t2"
    while purging.sql("SELECT COUNT(*) FROM hs.e") != [(1,)]:
        pass
    assert rows(cluster, "SELECT id FROM hs.e") == [(2,)]


@pytest.fixture
def expired(cluster: Cluster) -> None:
    """A table with a row that has expired, which every node's port has opened."""
    cluster.nodes[0].sql("CREATE TABLE hs.e (id INT PRIMARY KEY, until DATETIME(3), KEY (until)) COMMENT = 'hs: ttl=until'")
    cluster.wait_until_applied()
    for node in cluster.nodes:
        node.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
        with Client(node.port) as reader:
            reader.open("hs.e", ["id"])
    cluster.nodes[0].sql("INSERT INTO hs.e VALUES (1, NOW() - INTERVAL 1 DAY)")
    cluster.wait_until_applied()


def purge(node: PrivateServer) -> None:
    node.sql("SET GLOBAL handlersocket_ttl_purge_rows = DEFAULT")


def wait_until_purged(cluster: Cluster) -> None:
    """On each node: while one deletes, the others are behind."""
    for node in cluster.nodes:
        while node.sql("SELECT id FROM hs.e"):
            pass


def test_a_node_that_replicates_nothing_keeps_rows_that_the_others_have(cluster: Cluster, expired: None) -> None:
    """When another node deleted them later, this one would leave the cluster as inconsistent."""
    node = cluster.nodes[0]
    node.sql("SET GLOBAL wsrep_on = OFF")
    try:
        purge(node)
        reason = "SELECT last_error FROM information_schema.HANDLERSOCKET_TTL WHERE table_name = 'e'"
        while node.sql(reason) != [("wsrep_on is OFF, so the other nodes would keep them",)]:
            assert node.sql("SELECT id FROM hs.e") == [(1,)]
    finally:
        node.sql("SET GLOBAL wsrep_on = ON")
    for one in cluster.nodes:
        purge(one)
    wait_until_purged(cluster)


def test_rows_that_have_expired_are_deleted_beside_an_arbitrator(cluster: Cluster, expired: None) -> None:
    """The arbitrator is a member of the cluster, and may be the first, but deletes nothing."""
    with cluster.arbitrated():
        for node in cluster.nodes:
            with Client(node.port) as reader:
                reader.open("hs.e", ["id"])
            purge(node)
        wait_until_purged(cluster)


def test_a_row_that_is_locked_by_sql_is_waited_for(
    cluster: Cluster, node: PrivateServer, writer: Client
) -> None:
    holder = node.connect(database="hs")
    with holder, holder.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE t SET v = v + 1 WHERE id = 1")
        writer.send(line(1, "=", 1, 1, 1, 0, "U", 1, 5))
        wait_for_a_lock_wait(node)
        cursor.execute("COMMIT")
        assert writer.read_line() == b"0\t1\t1"
    assert rows(cluster)[0] == (1, 5)


def test_requests_that_are_too_large_only_together_are_executed_alone(
    cluster: Cluster, node: PrivateServer
) -> None:
    cluster.nodes[0].sql("CREATE TABLE hs.b (id INT PRIMARY KEY, b VARCHAR(5000) NOT NULL)")
    cluster.wait_until_applied()
    default = node.sql("SELECT @@wsrep_max_ws_size")[0][0]
    node.sql("SET GLOBAL wsrep_max_ws_size = 8192")
    try:
        with Client(node.port_wr) as writer:
            writer.open("hs.b", ["id", "b"])
            replies = writer.pipeline([line(1, "+", 2, number, "x" * 3000) for number in range(10)])
            assert replies == [b"0\t1"] * 10
            node.sql("SET GLOBAL wsrep_max_ws_size = 2048")
            alone = writer.request(1, "+", 2, 10, "x" * 3000)
        assert alone == b"1\t1\tsql_1180 The cluster has not taken the transaction"
    finally:
        node.sql(f"SET GLOBAL wsrep_max_ws_size = {default}")
    assert rows(cluster, "SELECT id FROM hs.b") == [(number,) for number in range(10)]


def test_a_kill_that_comes_too_late_for_a_commit_leaves_nothing_behind(cluster: Cluster) -> None:
    """The server left a mark then, which kept the next KILL of the session from being seen."""
    node, other = cluster.nodes[:2]
    running = "SELECT id FROM information_schema.processlist WHERE info = 'insert hs.t' AND command = 'Query'"
    node.sql("SET GLOBAL binlog_commit_wait_count = 9, binlog_commit_wait_usec = 2000000")
    try:
        with Client(node.port_wr) as writer:
            writer.open("hs.t", ["id", "v"])
            writer.send(line(1, "+", 2, 4, 1))
            while other.sql("SELECT id FROM hs.t WHERE id = 4") != [(4,)]:
                pass  # it is certified, and waits for other commits of its node
            ((session,),) = node.sql(running)
            node.sql(f"KILL QUERY {session}")
            assert writer.read_line() == b"0\t1"
    finally:
        node.sql("SET GLOBAL binlog_commit_wait_count = 0, binlog_commit_wait_usec = 100000")
    node.sql(f"KILL QUERY {session}")
    entry = f"SELECT command FROM information_schema.processlist WHERE id = {session}"
    assert node.sql(entry) == [("Killed",)]
    assert rows(cluster) == [(1, 0), (2, 0), (3, 0), (4, 1)]


@pytest.fixture
def held_up(cluster: Cluster) -> Iterator[PrivateServer]:
    """A node whose cluster takes no more: another node applies nothing, and so stops all."""
    slow = cluster.nodes[-1]
    options = slow.sql("SELECT @@wsrep_provider_options")[0][0]
    limit = re.search(r"gcs.fc_limit = (\d+)", options)
    assert limit is not None
    slow.sql("SET GLOBAL wsrep_provider_options = 'gcs.fc_limit=2'")
    slow.sql("SET GLOBAL slave_run_triggers_for_rbr = 'YES'")
    holder = slow.connect(database="hs")
    with holder, holder.cursor() as cursor:
        cursor.execute("SET wsrep_on = OFF")  # the trigger is on this node alone
        cursor.execute(
            "CREATE TRIGGER gate BEFORE INSERT ON t FOR EACH ROW"
            " SET @passed = GET_LOCK('gate', 999) + RELEASE_LOCK('gate')"
        )
        cursor.execute("SELECT GET_LOCK('gate', 1)")
        connection = cluster.nodes[0].connect(database="hs")

        def fill() -> None:
            with connection, connection.cursor() as sql:
                for number in range(100, 150):
                    sql.execute("INSERT INTO t VALUES (%s, 0)", [number])

        filling = threading.Thread(target=fill)
        filling.start()
        wait_for(cluster.nodes[0], "wsrep_flow_control_active", "true")
        yield cluster.nodes[0]
        cursor.execute("SELECT RELEASE_LOCK('gate')")
        filling.join()
        cluster.wait_until_applied()
        cursor.execute("DROP TRIGGER gate")
    slow.sql(f"SET GLOBAL wsrep_provider_options = 'gcs.fc_limit={limit[1]}'")
    slow.sql("SET GLOBAL slave_run_triggers_for_rbr = 'NO'")


def test_what_the_cluster_does_not_take_in_time_is_refused_and_on_no_node(
    cluster: Cluster, held_up: PrivateServer
) -> None:
    held_up.sql("SET GLOBAL handlersocket_wrlock_timeout = 1")
    try:
        with Client(held_up.port_wr) as writer, Client(held_up.port) as reader:
            writer.open("hs.t", ["id", "v"])
            replies = writer.pipeline([line(1, "+", 2, number, 1) for number in range(10, 13)])
            assert replies == [b"1\t1\tlock_tables"] * 3
            reader.open("hs.t", ["id", "v"])
            assert reader.request(1, "=", 1, 10) == b"0\t2"
    finally:
        held_up.sql("SET GLOBAL handlersocket_wrlock_timeout = DEFAULT")
    assert status(held_up, "wsrep_flow_control_active") == "true"


def test_a_node_without_the_others_refuses_changes_and_still_reads(cluster: Cluster) -> None:
    first, *others = cluster.nodes
    for node in others:
        node.kill9()
    try:
        wait_for(first, "wsrep_ready", "OFF")
        with Client(first.port_wr) as writer, Client(first.port) as reader:
            reader.open("hs.t", ["id", "v"])
            assert reader.request(1, "=", 1, 1) == b"0\t2\t1\t0"
            writer.open("hs.t", ["id", "v"])
            assert writer.request(1, "+", 2, 4, 1) == NOT_READY
            first.sql("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=1'")
            wait_for(first, "wsrep_ready", "ON")
            assert writer.request(1, "+", 2, 4, 1) == b"0\t1"
    finally:
        for node in others:
            cluster.start_again(node)
    assert rows(cluster)[-1] == (4, 1)
