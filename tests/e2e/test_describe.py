"""`D`: what databases, tables, columns and indexes there are, beside SQL's INFORMATION_SCHEMA."""

from __future__ import annotations

from collections.abc import Iterator

import pymysql
import pytest
import server_files
from hs_client import Client, line, readable, rows
from private_server import PrivateServer

IS_MYSQL = server_files.is_mysql(server_files.SERVER_ROOT)
ENGINES = ["InnoDB", "MyISAM", "Aria", "MEMORY"]
COLUMNS = (
    "COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, COLUMN_DEFAULT, EXTRA, CHARACTER_SET_NAME,"
    " COLUMN_COMMENT"
)
INDEXES = "INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, 1 - NON_UNIQUE, COLLATION, SUB_PART"

EVERY_TYPE = """CREATE TABLE hs.types (
  i1 TINYINT, i2 SMALLINT UNSIGNED, i3 MEDIUMINT ZEROFILL, i4 INT(5) NOT NULL DEFAULT -7, i8 BIGINT UNSIGNED,
  b BOOL DEFAULT TRUE, bits BIT(9) DEFAULT b'101', bit1 BIT(1) DEFAULT b'0',
  f FLOAT DEFAULT 1.5, d DOUBLE(8,2) DEFAULT 2, n DECIMAL(20,5) UNSIGNED DEFAULT 3.25,
  c CHAR(7) DEFAULT 'it''s', vc VARCHAR(20) CHARACTER SET latin1 DEFAULT 'ü', e0 VARCHAR(3) DEFAULT '',
  bin BINARY(3) DEFAULT 'abc', vb VARBINARY(9) NOT NULL, tt TINYTEXT, t TEXT DEFAULT 'text', mt MEDIUMTEXT, lt LONGTEXT,
  tb TINYBLOB, bl BLOB NOT NULL, mb MEDIUMBLOB, lb LONGBLOB, js JSON,
  e ENUM('a','b,c','d''e', 'f\\\\g') DEFAULT 'b,c', s SET('x','y','z') NOT NULL DEFAULT 'x,z',
  y YEAR DEFAULT 2020, da DATE DEFAULT '2020-01-02', ti TIME(3), dt DATETIME(6) DEFAULT '2020-01-02 03:04:05.6',
  ts TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  ts3 TIMESTAMP(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), tn TIMESTAMP NULL,
  u UUID, ip4 INET4, ip6 INET6 DEFAULT '::1',
  g GEOMETRY, p POINT NOT NULL, poly POLYGON,
  utf3 VARCHAR(9) CHARACTER SET utf8mb3, ucs VARCHAR(9) CHARACTER SET ucs2 DEFAULT 'ä', u32 TEXT CHARACTER SET utf32)"""

TABLES = {
    "generated": "(a INT, v INT AS (a + 1) VIRTUAL, s VARCHAR(40) AS (CONCAT('x ', a, \"'\")) STORED COMMENT 'stored',"
    " iv INT AS (a * 2) INVISIBLE, KEY v (v), KEY s (s(3)))",
    "defaults": "(id INT AUTO_INCREMENT PRIMARY KEY, e INT DEFAULT (1 + 2), u VARCHAR(40) DEFAULT (UUID()),"
    " n DATETIME DEFAULT (NOW() + INTERVAL 1 DAY), q VARCHAR(20) DEFAULT (CONCAT('a''b', 'ü')),"
    " i INT INVISIBLE DEFAULT 4, none INT NOT NULL, txt TEXT DEFAULT ('x'), neg INT DEFAULT (-1))",
    "`o dd.t`": "(`a b` INT COMMENT 'a\\tTAB, a\\nline, \\\\ and ü', `c\tx` INT, `ü€` INT,"
    " PRIMARY KEY (`a b`), UNIQUE `i\t1` (`c\tx`, `ü€`)) COMMENT 'of\\ta TAB'",
    "many_keys": "(a INT, b INT NOT NULL, c VARCHAR(100), d BLOB, t TEXT, p POINT NOT NULL,"
    " UNIQUE ab (a, b), UNIQUE (b), KEY c (c(5), a), KEY d (d(7)), FULLTEXT ft (c, t),"
    " SPATIAL sp (p), KEY down (a DESC, b ASC), KEY ign (a) IGNORED)",
    "no_key": "(a INT, b INT)",
    "quoted": "(a VARCHAR(20) DEFAULT 'it''s \\\\, \\n, \\r, \\0', b VARCHAR(9) DEFAULT '\\\\')",
    "long_unique": "(a INT, t TEXT, UNIQUE (t), UNIQUE KEY at (a, t))",
    "versioned": "(a INT PRIMARY KEY, b INT WITHOUT SYSTEM VERSIONING) WITH SYSTEM VERSIONING",
    "versioned2": "(a INT, s TIMESTAMP(6) AS ROW START, e TIMESTAMP(6) AS ROW END INVISIBLE,"
    " PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING",
    "period": "(a INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (a, p WITHOUT OVERLAPS))",
    "parted": "(id INT, d DATE COMMENT 'x', PRIMARY KEY (id, d), KEY (d DESC)) COMMENT 'parted'"
    " PARTITION BY RANGE (YEAR(d)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
    " (PARTITION a VALUES LESS THAN (2020), PARTITION b VALUES LESS THAN MAXVALUE)",
    "parent": "(id INT PRIMARY KEY) COMMENT 'hs: name=x'",
    "child": "(id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN KEY (p) REFERENCES parent (id))",
    "checked": "(a INT CHECK (a > 0), b VARCHAR(9) CHECK (b <> 'x'))",
    "in_latin": "(a VARCHAR(9), KEY (a(2))) CHARACTER SET latin1",
    "merged_part": "(a INT NOT NULL, KEY (a)) ENGINE=MyISAM",
    "merged": "(a INT NOT NULL, KEY (a)) ENGINE=MERGE UNION=(hs.merged_part)",
    "a_csv": "(a INT NOT NULL, b VARCHAR(9) NOT NULL) ENGINE=CSV",
}

if IS_MYSQL:
    # It has no such types, no defaults of long texts that are no expressions, and other tables of its own.
    for theirs, mysqls in {
        "u UUID, ip4 INET4, ip6 INET6 DEFAULT '::1'": "vec VECTOR(3)",
        "t TEXT DEFAULT 'text'": "t TEXT DEFAULT ('text')",
    }.items():
        assert theirs in EVERY_TYPE
        EVERY_TYPE = EVERY_TYPE.replace(theirs, mysqls)
    for name in ("versioned", "versioned2", "period", "long_unique"):
        del TABLES[name]
    TABLES["many_keys"] = TABLES["many_keys"].replace("IGNORED", "INVISIBLE")
    TABLES |= {
        "parted": "(id INT, d DATE COMMENT 'x', PRIMARY KEY (id, d), KEY (d DESC)) COMMENT 'parted'"
        " PARTITION BY RANGE (YEAR(d)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
        " (PARTITION a VALUES LESS THAN (2020), PARTITION b VALUES LESS THAN MAXVALUE)",
        "of_expressions": "(a INT, j JSON, KEY e ((a + 1), a), KEY m ((CAST(j->'$' AS UNSIGNED ARRAY))))",
        "of_digits": "(a TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), b BIT(3) DEFAULT b'101')",
    }


def texts(found: object) -> list[tuple[bytes | None, ...]]:
    return [
        tuple(None if value is None else str(value).encode() for value in row)
        for row in found  # type: ignore[attr-defined]
    ]


def sql_columns(server: PrivateServer, table: str, database: str = "hs") -> list[tuple[bytes | None, ...]]:
    return texts(
        server.sql(
            f"SELECT {COLUMNS} FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s"
            " ORDER BY ORDINAL_POSITION",
            (database, table),
        )
    )


def sql_indexes(server: PrivateServer, table: str, database: str = "hs") -> list[tuple[bytes | None, ...]]:
    return texts(
        server.sql(
            f"SELECT {INDEXES} FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            (database, table),
        )
    )


def own_order(server: PrivateServer, table: str, database: str) -> list[bytes]:
    quoted = ".".join("`" + name.replace("`", "``") + "`" for name in (database, table))
    return list(dict.fromkeys(row[2].encode() for row in server.sql(f"SHOW INDEX FROM {quoted}")))


def lock_waits(server: PrivateServer) -> int:
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_lock_waits'")[0][1])


def check_table(server: PrivateServer, client: Client, table: str, database: str = "hs") -> None:
    reply = client.request("D", database, table)
    assert reply.startswith(b"0\t8"), (table, reply)
    assert rows(reply) == sql_columns(server, table, database), table
    assert rows(reply)
    reply = client.request("D", database, table, "I")
    assert reply.startswith(b"0\t6"), (table, reply)
    found, expected = rows(reply), sql_indexes(server, table, database)
    if IS_MYSQL:  # INFORMATION_SCHEMA has them by their names there, SHOW INDEX in their own order
        assert list(dict.fromkeys(row[0] for row in found)) == own_order(server, table, database)
        found, expected = sorted(found, key=str), sorted(expected, key=str)
    assert found == expected, table


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_tables_of_every_kind_are_described_as_sql_describes_them(
    server: PrivateServer, database: str, port: str
) -> None:
    server.sql(EVERY_TYPE)
    made = ["types"]
    for name, definition in TABLES.items():
        server.sql(f"CREATE TABLE hs.{name} {definition}")
        made.append(name.strip("`"))
    if not IS_MYSQL:
        server.sql("CREATE SEQUENCE hs.seq")
        made.append("seq")
    server.sql("CREATE VIEW hs.viewed AS SELECT a FROM hs.no_key")
    with Client(getattr(server, port)) as client:
        for table in made:
            check_table(server, client, table)
        # What is opened does not matter.
        client.open("hs.parent", ["id"])
        check_table(server, client, "parent")
        assert client.find("=", [1]) == []
        tables = texts(
            server.sql(
                "SELECT TABLE_NAME, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'hs'"
            )
        )
        assert rows(client.request("D", "hs")) == sorted(tables)
        assert {b"viewed", b"parted"} <= {row[0] for row in tables}
        # A view has no columns of its own.
        assert client.request("D", "hs", "viewed") == b"1\t1\topen_table"
        assert client.request("D", "hs", "viewed", "I") == b"1\t1\topen_table"


@pytest.mark.parametrize("partitions", ["", "PARTITION BY KEY (id) PARTITIONS 3"])
@pytest.mark.parametrize("engine", ENGINES)
def test_tables_of_every_engine_are_described(
    server: PrivateServer, reader: Client, engine: str, partitions: str
) -> None:
    extra = ", KEY h USING HASH (c)" if engine == "MEMORY" else ""
    server.sql(
        f"CREATE TABLE hs.t (id INT, c VARCHAR(9), KEY c USING BTREE (c(4), id), PRIMARY KEY (id){extra})"
        f" ENGINE={engine} COMMENT 'of {engine}' {partitions}"
    )
    check_table(server, reader, "t")
    assert rows(reader.request("D", "hs")) == [(b"t", b"of " + engine.encode())]


def test_all_databases_but_the_virtual_one_are_listed(server: PrivateServer, reader: Client) -> None:
    for name in ("o dd.é", "empty", "t\tb", "UPPER", "a`b", "under_score"):
        server.sql(f"CREATE OR REPLACE DATABASE `{name.replace('`', '``')}`")
    try:
        found = texts(server.sql("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA"))
        found.remove((b"information_schema",))
        assert rows(reader.request("D")) == sorted(found)
        assert rows(reader.raw(b"D\t")) == sorted(found)
        assert reader.request("D", "empty") == b"0\t2"
        assert reader.request("D", "t\tb") == b"0\t2"
        server.sql("CREATE TABLE `o dd.é`.`x/y` (a INT)")
        assert rows(reader.request("D", "o dd.é")) == [(b"x/y", b"")]
        check_table(server, reader, "x/y", "o dd.é")
    finally:
        for name in ("o dd.é", "empty", "t\tb", "UPPER", "a`b", "under_score"):
            server.sql(f"DROP DATABASE IF EXISTS `{name.replace('`', '``')}`")


def test_the_servers_own_tables_are_described(server: PrivateServer, reader: Client) -> None:
    check_table(server, reader, "db", "mysql")
    check_table(server, reader, "threads", "performance_schema")
    for (database,) in server.sql("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA"):
        if database == "information_schema":
            continue
        found = texts(
            server.sql(
                "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s", (database,)
            )
        )
        assert [row[:1] for row in rows(reader.request("D", database))] == sorted(found)


@pytest.mark.parametrize(
    "names",
    [
        ("nowhere",), ("hs", "nothing"), ("hs", "nothing", "I"), ("information_schema",),
        ("information_schema", "tables"), ("..",), ("../hs",), ("hs", "../hs/t"), ("#mysql50#hs",), ("hs/t",),
        ("x" * 65,), ("x" * 300,), ("hs", "x" * 65), ("hs", "x" * 5000), (b"\xff\xfe",), ("hs", b"\0"), (b"hs\0x",),
    ],
)  # fmt: skip
def test_what_is_not_there_is_one_error(
    server: PrivateServer, reader: Client, writer: Client, names: tuple[str | bytes, ...]
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    for client in (reader, writer):
        assert client.request("D", *names) == b"1\t1\topen_table"
        assert rows(client.request("D", "hs")) == [(b"t", b"")]


def test_ill_formed_requests_are_refused(reader: Client) -> None:
    assert reader.request("D", "hs", "t", "X") == b"2\t1\tfldnum"
    assert reader.request("D", "hs", "t", "I", "X") == b"2\t1\tfldnum"
    assert reader.request("D", "", "t") == b"2\t1\tmissing_value"
    assert reader.request("D", "hs", "", "I") == b"2\t1\tmissing_value"
    assert reader.raw(b"D\ths\x01") == b"2\t1\tescape"


def test_a_description_follows_an_alter_and_holds_none_off(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    for client in (reader, writer):
        client.open("hs.t", ["id"])
    for number in range(5):
        for client in (reader, writer):
            check_table(server, client, "t")
            server.sql(f"ALTER TABLE hs.t ADD c{number}{client is reader:d} INT COMMENT '{number}', COMMENT '{number}'")
            assert rows(client.request("D", "hs")) == [(b"t", b"%d" % number)]
    server.sql("RENAME TABLE hs.t TO hs.u")
    for client in (reader, writer):
        assert client.request("D", "hs", "t") == b"1\t1\topen_table"
        check_table(server, client, "u")


def test_a_description_commits_what_its_batch_has_changed_before(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    writer.open("hs.t", ["id"])
    replies = writer.pipeline(
        [
            line(1, "+", 1, 1),
            line("D", "hs", "t", "I"),
            line(1, "+", 1, 1),
            line("D", "hs"),
            line(1, "+", 1, 2),
        ]
    )
    assert replies[0] == b"0\t1"
    assert rows(replies[1]) == [(b"PRIMARY", b"1", b"id", b"1", b"A", None)]
    assert replies[2].startswith(b"1\t1\t121")
    assert rows(replies[3]) == [(b"t", b"")]
    assert replies[4] == b"0\t1"
    assert server.sql("SELECT id FROM hs.t ORDER BY id") == [(1,), (2,)]


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_a_description_passes_locks_and_ddl_that_waits(server: PrivateServer, database: str, port: str) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    with server.connect() as holder, server.connect() as ddl, Client(getattr(server, port)) as client:
        with holder.cursor() as cursor:
            cursor.execute("LOCK TABLES hs.t WRITE")
            check_table(server, client, "t")
            cursor.execute("UNLOCK TABLES")
            cursor.execute("BEGIN")
            cursor.execute("SELECT * FROM hs.t")
        ddl._execute_command(3, "DROP TABLE hs.t")  # COM_QUERY
        while not server.sql(
            "SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = %s AND STATE LIKE 'Waiting for table metadata%%'",
            (ddl.thread_id(),),
        ):
            pass
        check_table(server, client, "t")
        assert rows(client.request("D", "hs")) == [(b"t", b"")]
        holder.rollback()
        ddl._read_query_result()
        assert client.request("D", "hs", "t") == b"1\t1\topen_table"
        assert client.request("D", "hs") == b"0\t2"


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_a_description_waits_while_ddl_has_the_table_for_itself(
    server: PrivateServer, database: str, port: str
) -> None:
    server.sql("CREATE TABLE hs.u (id INT PRIMARY KEY)")
    with server.connect() as holder, server.connect() as ddl:
        with holder.cursor() as cursor:
            cursor.execute("SELECT GET_LOCK('describe', 100)")
        ddl._execute_command(3, "CREATE TABLE hs.t AS SELECT GET_LOCK('describe', 100) AS g")  # COM_QUERY
        while not server.sql(
            "SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = %s AND STATE = 'User lock'", (ddl.thread_id(),)
        ):
            pass
        with Client(getattr(server, port)) as client, Client(getattr(server, port)) as other:
            other.open("hs.u", ["id"])
            before = lock_waits(server)
            client.send(line("D", "hs", "t"))
            while lock_waits(server) == before:
                pass
            # The wait holds up no other connection.
            assert other.find("=", [1]) == []
            check_table(server, other, "u")
            with holder.cursor() as cursor:
                cursor.execute("SELECT RELEASE_LOCK('describe')")
            assert [row[0] for row in rows(client.read_line())] == [b"g"]
            ddl._read_query_result()
            assert [row[0] for row in rows(client.request("D", "hs"))] == [b"t", b"u"]


def test_a_description_for_which_a_session_may_not_take_enough_memory_says_so(
    server: PrivateServer, database: str, reader: Client
) -> None:
    """A session that takes too much memory is killed by the server: here for a table's expressions."""
    columns = ", ".join(f"c{number} INT DEFAULT (1 + {number})" for number in range(900))
    server.sql(f"CREATE TABLE hs.t (id INT PRIMARY KEY, {columns})")
    requests = [line("D", "hs", "t"), line("D", "hs", "t", "I")]
    expected = {(request, reader.raw(request.rstrip())) for request in requests}
    why = b"1\t1\tsql_1290 The MariaDB server is running with the --max-session-mem-used=%d option"
    denied = set()
    seen = set()
    with server.connect() as connection, connection.cursor() as sql:
        # (With less the server dies of each new session, also of SQL's.)
        for most in range(40_000, 100_000, 2_000):
            for request in requests:
                sql.execute("FLUSH TABLES hs.t")
                sql.execute(f"SET GLOBAL max_session_mem_used = {most}")
                try:
                    reply = reader.raw(request.rstrip())
                    if reply.startswith(why % most):
                        denied.add(request)
                    else:
                        seen.add((request, reply))
                finally:
                    sql.execute("SET GLOBAL max_session_mem_used = DEFAULT")
    assert seen == expected
    assert denied == set(requests)


def test_a_reply_is_bounded() -> None:
    with PrivateServer(variables={"handlersocket_max_reply_size": 4096}) as small:
        small.sql("CREATE DATABASE hs")
        for number in range(30):
            small.sql(f"CREATE TABLE hs.t{number} (id INT PRIMARY KEY) COMMENT '{'x' * 200}'")
        with Client(small.port) as client:
            assert client.request("D", "hs") == b"2\t1\treply_too_long"
            check_table(small, client, "t7")


@pytest.fixture(scope="module")
def account_server() -> Iterator[PrivateServer]:
    with PrivateServer(
        variables={"handlersocket_authentication": "account", "handlersocket_authentication_wr": "account"}
    ) as server:
        for database in ("hs", "h_s", "hxs", "other"):
            server.sql(f"CREATE DATABASE {database}")
            for table in ("t", "u"):
                server.sql(
                    f"CREATE TABLE {database}.{table} (a INT PRIMARY KEY, b INT, c INT, KEY ab (a, b), KEY bc (b, c))"
                    f" COMMENT '{table}'"
                )
        server.sql("CREATE VIEW hs.v AS SELECT a FROM hs.t")
        server.sql("CREATE PROCEDURE other.p() SELECT 1")
        server.sql("CREATE ROLE reader")
        server.sql("GRANT SELECT (a, b) ON hs.t TO reader")
        yield server


GRANTS: tuple[tuple[str, ...], ...] = (
    (),
    ("SELECT ON *.*",),
    ("SELECT ON hs.*",),
    ("SELECT ON hs.t",),
    ("SELECT (a) ON hs.t",),
    ("SELECT (a, b) ON hs.t", "INSERT (c) ON hs.u"),
    ("INSERT (b) ON hs.t", "SELECT (c) ON hs.t"),
    ("DELETE ON hs.t",),
    ("DELETE ON hs.t", "SELECT (b) ON hs.t"),
    ("DELETE ON hs.*",),
    ("DROP ON hs.t",),
    ("REFERENCES (a) ON hs.t",),
    ("CREATE ON hs.*",),
    ("EXECUTE ON hs.*",),
    ("EXECUTE ON PROCEDURE other.p",),
    ("SHOW DATABASES ON *.*",),
    ("PROCESS ON *.*",),
    ("SELECT ON hs.v",),
    (r"SELECT ON `h\_s`.*",),
    ("SELECT ON `h_s`.*",),
    ("UPDATE ON `h%`.*", "SELECT (a) ON other.u"),
    ("ALL ON *.*",),
    ("reader",),
)


@pytest.mark.parametrize("number", range(len(GRANTS)))
def test_an_account_is_told_what_sql_shows_it(account_server: PrivateServer, number: int) -> None:
    server = account_server
    user = f"u{number}"
    server.sql(f"CREATE USER {user}@'%' IDENTIFIED BY 'p'")
    for grant in GRANTS[number]:
        server.sql(f"GRANT {grant} TO {user}@'%'")
        if grant == "reader":
            server.sql(f"SET DEFAULT ROLE reader FOR {user}@'%'")
    connection = pymysql.connect(unix_socket=str(server.socket), user=user, password="p", charset="utf8mb4")
    with connection, connection.cursor() as cursor:

        def sql(query: str) -> list[tuple[bytes | None, ...]]:
            cursor.execute(query)
            return texts(cursor.fetchall())

        databases = sorted(set(sql("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")) - {(b"information_schema",)})
        with Client(server.port) as reader, Client(server.port_wr) as writer:
            for client in (reader, writer):
                assert client.request("D") == b"3\t1\tunauth"
                assert client.log_in(user, "p") == b"0\t1"
                assert rows(client.request("D")) == databases
                for database in ("hs", "h_s", "hxs", "other"):
                    of = f"TABLE_SCHEMA = '{database}'"
                    reply = client.request("D", database)
                    seen = sql(
                        f"SELECT TABLE_NAME, TABLE_COMMENT FROM information_schema.TABLES WHERE {of} ORDER BY 1"
                    )
                    if (database.encode(),) in databases:
                        assert rows(reply) == seen, database
                    else:
                        assert reply == b"1\t1\topen_table"
                        assert not seen
                    for table in ("t", "u"):
                        both = f"{of} AND TABLE_NAME = '{table}'"
                        columns = sql(
                            f"SELECT {COLUMNS} FROM information_schema.COLUMNS WHERE {both} ORDER BY ORDINAL_POSITION"
                        )
                        indexes = sql(f"SELECT {INDEXES} FROM information_schema.STATISTICS WHERE {both}")
                        replies = [client.request("D", database, table, *more) for more in ((), ("I",))]
                        if table.encode() in [row[0] for row in seen]:
                            assert [rows(reply) for reply in replies] == [columns, indexes], (database, table)
                        else:
                            assert replies == [b"1\t1\topen_table"] * 2
                            assert not columns and not indexes


def test_a_long_list_lets_other_connections_in() -> None:
    """The list is long, and the finds of another connection are answered meanwhile."""
    tables = 1500
    with PrivateServer(variables={"handlersocket_threads": 1, "table_definition_cache": 400}) as one:
        one.sql("CREATE DATABASE hs")
        one.sql("CREATE TABLE hs.f (id INT PRIMARY KEY)")
        one.sql("INSERT INTO hs.f VALUES (1)")
        with one.connect() as sql, sql.cursor() as cursor:
            for number in range(tables):
                cursor.execute(f"CREATE TABLE hs.t{number} (id INT) ENGINE=MyISAM COMMENT '{number}'")
        with Client(one.port) as lister, Client(one.port) as finder:
            finder.open("hs.f", ["id"])
            # A server that answers a list in one piece lets at most two finds be answered beside
            # it: one that came before it and one that waited for it. How many more there are
            # depends on the machine, so one list of fifty must have three.
            for _ in range(50):
                lister.send(line("D", "hs"))
                finds = 0
                while not readable([lister]):
                    assert finder.find("=", [1]) == [(b"1",)]
                    finds += 1
                assert len(rows(lister.read_line())) == tables + 1
                if finds >= 3:
                    break
            else:
                pytest.fail("no list let another connection in")
            # DDL of a table that the session has open goes on at once, too.
            one.sql("ALTER TABLE hs.f ADD x INT")
