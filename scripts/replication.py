"""A primary and its replicas by GTID, with semi-sync: the statements of docs/scaling.md."""

from __future__ import annotations

from collections.abc import Sequence

import server_files
from private_server import PrivateServer

IS_MYSQL = server_files.is_mysql(server_files.SERVER_ROOT)
TIMEOUT_S = 120
PORT = "3306"  # stands for that of the primary

ON_PRIMARY = """
CREATE USER replica@'127.0.0.1' IDENTIFIED BY 'secret';
GRANT REPLICATION SLAVE ON *.* TO replica@'127.0.0.1';
SET GLOBAL rpl_semi_sync_master_timeout = 60000;
SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC;
"""
ENABLE = """
SET GLOBAL rpl_semi_sync_master_enabled = 1;
"""
ON_REPLICA = """
SET GLOBAL rpl_semi_sync_slave_enabled = 1;
CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 3306, MASTER_USER = 'replica', MASTER_PASSWORD = 'secret', MASTER_USE_GTID = slave_pos;
START SLAVE;
"""
STOP_RECEIVING = """
STOP SLAVE IO_THREAD;
"""
PROMOTE = """
STOP SLAVE;
RESET SLAVE ALL;
SET GLOBAL read_only = 0;
"""
FOLLOW = """
STOP SLAVE;
CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 3306;
START SLAVE;
"""
BLOCKS = (ON_PRIMARY, ENABLE, ON_REPLICA, STOP_RECEIVING, PROMOTE, FOLLOW)


def variables(server_id: int, is_replica: bool = False) -> dict[str, object]:
    """Of a server that loses no commit, and can be a primary and a replica."""
    # MySQL has all of these as they should be, and GTIDs. Semi-sync is in plugins.
    of_mysql = {"plugin_load": "semisync_source.so;semisync_replica.so"}
    of_mariadb = {
        # An event in one write: a server that is killed between two leaves a part of it, behind which
        # no replica can read (error 1236), whoever wrote it.
        "binlog_file_cache_size": "4M",
        # Else what InnoDB finds at the end of its log after a kill -9 may be older records, which it
        # carries out once more: docs/servers.md, "A fourth".
        "innodb_log_file_buffering": True,
        "log_slave_updates": True,
        "gtid_strict_mode": True,
    }
    return {
        "server_id": server_id,
        "log_bin": "log",
        **(of_mysql if IS_MYSQL else of_mariadb),
        "sync_binlog": 1,
        "innodb_flush_log_at_trx_commit": 1,
        "read_only": is_replica,
    }


def execute(server: PrivateServer, block: str, port: int = 0) -> None:
    """Executes the statements, with the port of a primary."""
    for statement in block.strip().splitlines():
        server.sql(statement.rstrip(";").replace(PORT, str(port)))


def begin(primary: PrivateServer, replicas: Sequence[PrivateServer]) -> None:
    """All run, and the replicas are empty. Afterwards each change is answered when a replica has it."""
    execute(primary, ON_PRIMARY)
    for replica in replicas:
        execute(replica, ON_REPLICA, primary.sql_port)
        wait_until_applied(replica, primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0])
    execute(primary, ENABLE)


def promote_one(replicas: Sequence[PrivateServer]) -> tuple[PrivateServer, list[PrivateServer]]:
    """The primary is gone: the new one, which has all that was answered, and the others."""
    for replica in replicas:
        execute(replica, STOP_RECEIVING)
        wait_until_applied(replica, slave_status(replica)["Gtid_IO_Pos"])
    *others, promoted = sorted(replicas, key=_received)
    execute(promoted, PROMOTE)
    for other in others:
        execute(other, FOLLOW, promoted.sql_port)
    return promoted, others


def wait_until_applied(replica: PrivateServer, position: str) -> None:
    """Waits until the replica has applied a GTID position."""
    reached = replica.sql("SELECT MASTER_GTID_WAIT(%s, %s)", [position, TIMEOUT_S])[0][0]
    assert reached == 0, slave_status(replica)


def slave_status(replica: PrivateServer) -> dict[str, object]:
    """SHOW SLAVE STATUS, by MariaDB's names."""
    from pymysql.cursors import DictCursor  # only here: a server can be started without it

    connection = replica.connect(cursorclass=DictCursor)
    with connection, connection.cursor() as sql:
        sql.execute("SHOW REPLICA STATUS" if IS_MYSQL else "SHOW SLAVE STATUS")
        found = dict(sql.fetchall()[0])
    if IS_MYSQL:
        found |= {name.replace("Replica_", "Slave_"): value for name, value in found.items()}
        found["Gtid_IO_Pos"] = found["Retrieved_Gtid_Set"]
    return found


def _received(replica: PrivateServer) -> int:
    """The number of the last change that the replica has received; all are of one domain."""
    return int(str(slave_status(replica)["Gtid_IO_Pos"]).rpartition("-")[2])
