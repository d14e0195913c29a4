"""`C`: how many rows a find would return, beside SQL's COUNT(*); and `&`, all rows of each value."""

from __future__ import annotations


import pytest
from hs_client import Client, line, readable, rows, server_status, wait_for_a_lock_wait
from private_server import PrivateServer

ENGINES = ["InnoDB", "MyISAM", "Aria", "MEMORY"]
PARTITIONS = ["", "PARTITION BY HASH (id) PARTITIONS 3"]
ROWS = 1000


@pytest.fixture
def many(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.c (id INT PRIMARY KEY, g INT NULL, v INT, w BLOB, KEY g (g), KEY gv (g, v), KEY w (w(3)))"
    )
    server.sql(
        "INSERT INTO hs.c SELECT seq, IF(seq % 7, seq % 7, NULL), seq % 13, CONCAT('w', seq)"
        f" FROM hs.seq_1_to_{ROWS}"
    )
    return "hs.c"


def counted(server: PrivateServer, where: str) -> bytes:
    return b"0\t1\t%d" % server.sql(f"SELECT COUNT(*) FROM hs.c WHERE {where}")[0][0]


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_a_count_is_that_of_sql(
    server: PrivateServer, database: str, engine: str, partitions: str, port: str
) -> None:
    using = "USING BTREE" if engine == "MEMORY" else ""
    server.sql(
        f"CREATE TABLE hs.c (id INT, g INT NULL, v INT, PRIMARY KEY {using} (id), KEY g {using} (g),"
        f" KEY gv {using} (g, v)) ENGINE={engine} {partitions}"
    )
    server.sql(f"INSERT INTO hs.c SELECT seq, IF(seq % 7, seq % 7, NULL), seq % 13 FROM hs.seq_1_to_{ROWS}")
    with Client(getattr(server, port)) as client:
        for id_, index in ((1, "PRIMARY"), (2, "g"), (3, "gv")):
            client.open("hs.c", ["v", "id"], index=index, id=id_, filters=["v", "g", "id"])
        for id_, column in ((1, "id"), (2, "g"), (3, "g")):
            for op in ("=", ">", ">=", "<", "<=", "=<"):
                sql_op = op.replace("=<", "=")
                where = f"{column} {sql_op} 3" + (f" OR {column} IS NULL" if op[0] == "<" else "")
                found = client.find(op, [3], 9999, id=id_)
                assert client.request(id_, op, 1, 3, 0, 0, "C") == counted(server, where)
                assert client.request(id_, op, 1, 3, 2, 0, "C") == b"0\t1\t%d" % min(2, len(found))
                assert client.request(id_, op, 1, 3, 0, 1, "C") == b"0\t1\t%d" % max(0, len(found) - 1)
                # Columns of the index, and others.
                for position, name in enumerate(("v", "g", "id")):
                    assert client.request(
                        id_, op, 1, 3, 0, 0, "F", "<", position, 5, "F", "!=", position, None, "C"
                    ) == counted(server, f"({where}) AND {name} < 5"), (op, id_, name)
                # A find reads all columns again.
                assert client.find(op, [3], 9999, id=id_) == found
        assert client.request(2, "=", 1, None, 0, 0, "C") == counted(server, "g IS NULL")
        assert client.request(3, "=", 2, 3, 5, 0, 0, "C") == counted(server, "g = 3 AND v = 5")
        assert client.request(2, "=", 1, 99, 1, 0, "C") == b"0\t1\t0"
        assert client.request(2, "=", 1, 0, 0, 0, "&", 0, 3, 1, 2, 99, "C") == counted(server, "g IN (1, 2)")
        assert client.request(2, "=", 1, 0, 0, 0, "@", 0, 3, 1, 2, 99, "C") == b"0\t1\t2"


def test_a_count_reads_the_index_alone_where_it_has_all_that_is_compared(
    server: PrivateServer, reader: Client, many: str
) -> None:
    reader.open(many, ["w"], index="gv", filters=["v", "w"])

    def costs(*filters: object) -> int:
        before = server_status(server, "Innodb_buffer_pool_read_requests")
        assert reader.request(1, ">=", 1, 0, 0, 0, *filters, "C") != b"0\t1\t0"
        return server_status(server, "Innodb_buffer_pool_read_requests") - before

    # Going to the rows costs at least one page request for each row. The find before makes the
    # engine read rows; a count does not keep to that.
    for _ in range(2):
        assert len(reader.find(">=", [0], 2 * ROWS)) == ROWS - ROWS // 7
        for filters in ((), ("F", ">=", 0, 0)):
            # The server's own work costs, too. And while a transaction is open that is older than the rows, as one of
            # its statistics may be, the engine looks at each row.
            while costs(*filters) >= ROWS // 4:
                pass
        assert costs("F", "!=", 1, None) > ROWS // 2


def test_a_count_fetches_no_row_of_the_past_as_its_own(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, g INT, KEY g (g)) WITH SYSTEM VERSIONING")
    server.sql("INSERT INTO hs.c VALUES (1,1), (2,1), (3,1)")
    server.sql("UPDATE hs.c SET g = 2 WHERE id = 2")
    server.sql("DELETE FROM hs.c WHERE id = 3")
    reader.open("hs.c", ["id"])
    reader.open("hs.c", ["id"], index="g", id=2)
    assert reader.request(1, ">", 1, 0, 0, 0, "C") == b"0\t1\t2"
    assert reader.request(2, "=", 1, 1, 0, 0, "C") == b"0\t1\t1"


def test_a_count_by_the_beginning_of_a_column_looks_at_whole_values(
    server: PrivateServer, reader: Client, many: str
) -> None:
    reader.open(many, ["id"], index="w")
    assert reader.request(1, "=", 1, "w100", 0, 0, "C") == b"0\t1\t1"
    assert reader.request(1, "=", 1, "w10", 0, 0, "C") == b"0\t1\t1"
    assert reader.request(1, ">=", 1, "w99", 0, 0, "C") == counted(server, "w >= 'w99'")


def test_a_generated_column_is_compared(server: PrivateServer, reader: Client, database: str) -> None:
    server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, g INT, d INT AS (g * 2) VIRTUAL, KEY g (g), KEY d (d))")
    server.sql(f"INSERT INTO hs.c (id, g) SELECT seq, seq % 9 FROM hs.seq_1_to_{ROWS}")
    reader.open("hs.c", ["id"], index="g", filters=["d"])
    reader.open("hs.c", ["id"], index="d", id=2, filters=["g"])
    assert reader.request(1, ">", 1, 2, 0, 0, "F", "<", 0, 10, "C") == counted(server, "g > 2 AND d < 10")
    assert reader.request(2, ">", 1, 2, 0, 0, "F", "<", 0, 4, "C") == counted(server, "d > 2 AND g < 4")


def test_counts_and_finds_of_one_pipeline_do_not_disturb_each_other(
    server: PrivateServer, reader: Client, many: str
) -> None:
    reader.open(many, ["id", "w"], index="gv", filters=["v"])
    reader.open(many, ["v", "id"], index="g", id=2)
    find, count = line(1, "=", 1, 3, 3), line(1, "=", 1, 3, 0, 0, "C")
    filtered = line(1, "=", 1, 3, 0, 0, "F", "=", 0, 5, "C")
    other = line(2, "=<", 1, 3, 2)
    alone = [reader.pipeline([request])[0] for request in (find, count, filtered, other)]
    mixed = [find, count, other, filtered, find, filtered, count, count, other, find]
    order = [0, 1, 3, 2, 0, 2, 1, 1, 3, 0]
    assert reader.pipeline(mixed) == [alone[i] for i in order]


def test_a_pipeline_counts_its_own_changes(server: PrivateServer, writer: Client, many: str) -> None:
    writer.open(many, ["id", "g", "v"], index="g")
    count = line(1, "=", 1, 77, 0, 0, "C")
    assert writer.pipeline(
        [count, line(1, "+", 3, 5000, 77, 1), count, line(1, "=", 1, 77, 1, 0, "D"), count]
    ) == [b"0\t1\t0", b"0\t1", b"0\t1\t1", b"0\t1\t1", b"0\t1\t0"]


def test_a_count_locks_its_rows_on_the_write_port_only(
    server: PrivateServer, reader: Client, writer: Client, many: str
) -> None:
    for client in (reader, writer):
        client.open(many, ["id"], index="g")
    with server.connect() as other, other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("DELETE FROM hs.c WHERE id = 3")
        before = reader.request(1, "=", 1, 3, 0, 0, "C")
        writer.send(line(1, "=", 1, 3, 0, 0, "C"))
        wait_for_a_lock_wait(server)
        cursor.execute("COMMIT")
        after = writer.read_line()
        assert int(after.split(b"\t")[2]) == int(before.split(b"\t")[2]) - 1


def test_a_long_count_holds_up_no_other_connection() -> None:
    with PrivateServer(variables={"handlersocket_threads": 1}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, v INT, KEY v (v))")
        server.sql("INSERT INTO hs.c SELECT seq, seq % 10 FROM hs.seq_1_to_1000000")
        with Client(server.port) as counts, Client(server.port) as other:
            counts.open("hs.c", ["id"], index="v", filters=["v"])
            other.open("hs.c", ["id", "v"])
            meanwhile = False
            for _ in range(20):
                counts.send(line(1, ">=", 1, 0, 0, 0, "F", ">=", 0, 0, "C"))
                for i in range(1, 5):
                    assert other.find("=", [i]) == [(b"%d" % i, b"%d" % i)]
                meanwhile = not readable([counts])
                assert counts.read_line() == b"0\t1\t1000000"
                if meanwhile:
                    break
            assert meanwhile


def test_a_count_needs_no_right_on_the_columns_that_it_does_not_read() -> None:
    with PrivateServer(variables={"handlersocket_authentication": "account"}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, v INT, secret INT)")
        server.sql("INSERT INTO hs.c VALUES (1, 1, 42)")
        server.sql("CREATE USER teller@'127.0.0.1' IDENTIFIED BY 'x'")
        server.sql("GRANT SELECT (id, v), INSERT ON hs.c TO teller@'127.0.0.1'")
        with Client(server.port_wr) as client:
            assert client.log_in("teller", "x") == b"0\t1"
            client.open("hs.c", ["secret"], filters=["v", "secret"])
            assert client.request(1, "=", 1, 1) == b"1\t1\taccess_denied 1143"
            assert client.request(1, "=", 1, 1, 0, 0, "C") == b"0\t1\t1"
            assert client.request(1, "=", 1, 1, 0, 0, "F", "=", 0, 1, "C") == b"0\t1\t1"
            assert client.request(1, "=", 1, 1, 0, 0, "F", "=", 1, 42, "C") == b"1\t1\taccess_denied 1143"


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_all_rows_of_each_value_of_an_in(
    server: PrivateServer, reader: Client, writer: Client, engine: str, partitions: str
) -> None:
    using = "USING BTREE" if engine == "MEMORY" else ""
    server.sql(
        f"CREATE TABLE hs.c (id INT, g INT NULL, v INT, PRIMARY KEY {using} (id), KEY gv {using} (g, v, id))"
        f" ENGINE={engine} {partitions}"
    )
    server.sql("INSERT INTO hs.c SELECT seq, IF(seq % 7, seq % 7, NULL), seq * 5 % 13 FROM hs.seq_1_to_100")
    for client in (reader, writer):
        client.open("hs.c", ["g", "id"], index="gv", filters=["v"])
        for op, direction in (("=", ""), ("=<", "DESC")):
            for limit, offset in ((999, 0), (2, 1), (1, 0)):
                expected: list[tuple[bytes | None, ...]] = []
                for g in (3, 99, None, 5, 3):
                    where = "g IS NULL" if g is None else f"g = {g}"
                    expected += server.sql(
                        f"SELECT g, id FROM hs.c WHERE {where} AND v != 4"
                        f" ORDER BY v {direction}, id {direction} LIMIT {offset}, {limit}"
                    )
                wanted = [tuple(None if v is None else b"%d" % v for v in row) for row in expected]
                reply = client.request(
                    1, op, 1, 0, limit, offset, "&", 0, 5, 3, 99, None, 5, 3, "F", "!=", 0, 4
                )
                assert rows(reply) == wanted, (op, limit, offset)
    assert writer.request(1, "=", 1, 0, 3, 0, "&", 0, 3, 1, 2, 99, "D") == b"0\t1\t6"
    for g in (1, 2):
        first = server.sql(f"SELECT COUNT(*) FROM hs.c WHERE g = {g}")[0][0]
        assert first == len([i for i in range(1, 101) if i % 7 == g]) - 3


def test_a_long_reply_of_all_rows_is_sent_in_pieces(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, g INT, w VARCHAR(1000), KEY g (g))")
    server.sql("INSERT INTO hs.c SELECT seq, seq % 4, REPEAT('x', 1000) FROM hs.seq_1_to_6000")
    reader.open("hs.c", ["id", "w"], index="g")
    found = rows(reader.request(1, "=", 1, 0, 1200, 7, "&", 0, 3, 2, 0, 3))
    wanted = [i for g in (2, 0, 3) for i in [n for n in range(1, 6001) if n % 4 == g][7:1207]]
    assert [int(row[0] or 0) for row in found] == wanted
