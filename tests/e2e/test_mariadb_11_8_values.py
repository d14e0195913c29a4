"""Values that MariaDB has since 11.8, by keys, ranges and filters, beside SQL: collations of Unicode
14, UUIDs in the order of time, times past 2038, vectors."""

from __future__ import annotations

import random
import struct
from uuid import UUID

import pytest
import server_files
from hs_client import Client, rows
from private_server import PrivateServer
from test_keys import OPERATORS, Texts, compare_with_sql

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mariadb-11.8", reason="./test --server mariadb-11.8 runs these"
)

WORDS = ["", "a", "ä", "b", "ss", "st", "Æ", "z", "Ω", "漢", "😀", "\U0001f9ff"]
PROBES = ["A", "Ä", "ae", "ß", "SS", "s", "zz", "ω", "å", "a ", "😁", "-", "\u200b", "ſ", "0"]
# As the server makes them: each is later than the one before in its first 48 bits.
TIMED = [
    "0192f0c1-0000-7000-bfff-000000000000",
    "0192f0c1-0001-7fff-8000-ffffffffffff",
    "0192f0c2-0000-7000-8000-000000000001",
    "1192f0c1-0000-7000-8000-000000000000",
]
COLUMNS: dict[str, Texts] = {
    **{
        f"VARCHAR(4) COLLATE utf8mb4_uca1400_{collation}": (WORDS, [*WORDS, *PROBES], ["zzzzz", "aaaaaa"])
        for collation in ("ai_ci", "as_cs", "nopad_as_ci", "german2_ai_ci", "swedish_as_cs", "turkish_ai_ci")
    },
    "VARCHAR(4) CHARACTER SET latin1 COLLATE latin1_german2_ci": (["a", "ä", "ae", "af"], ["AE", "ä"], ["aeaea"]),
    "UUID": (
        # One of version 4 between them, and one of version 1, whose order is another one.
        [*TIMED, "0192f0c1-5555-4000-8000-000000000000", "0192f0c1-0000-1000-8000-000000000000"],
        [*TIMED, TIMED[0].upper(), TIMED[1].replace("-", ""), "0192f0c1-0001-7000-8000-000000000000",
         "0192f0c1-5555-4000-8000-000000000001", "ffffffff-ffff-7fff-bfff-ffffffffffff"],
        ["0192f0c1", "", "abc"],
    ),
    "TIMESTAMP": (
        ["1970-01-02 00:00:00", "2038-01-19 03:14:07", "2038-01-19 03:14:08", "2100-02-28 23:59:59",
         "2106-02-07 00:00:00"],
        ["2038-01-19 03:14:07", "2038-01-19 03:14:08", "2038-01-19 03:14:08.0", "2100-02-28 23:59:59",
         "2099-12-31", "2106-02-07"],
        ["2038-01-19 03:14:07.5", "2038-01-19 03:14:08.000001", "2100-02-29", "2106-02-08", "2150-01-01",
         "9999-12-31 23:59:59"],
    ),
    "TIMESTAMP(6)": (
        ["2038-01-19 03:14:07.999999", "2038-01-19 03:14:08.000000", "2106-02-06 00:00:00.000001"],
        ["2038-01-19 03:14:07.999999", "2038-01-19 03:14:08", "2106-02-06 00:00:00.000001"],
        ["2038-01-19 03:14:07.9999995", "2106-02-06 00:00:00.0000005", "2106-02-08 00:00:00"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_comparison_is_that_of_sql(
    server: PrivateServer,
    database: str,
    reader: Client,
    writer: Client,
    column: str,
    descending: bool,
) -> None:
    compare_with_sql(server, reader, writer, column, COLUMNS[column], descending)


def test_uuids_of_version_7_are_in_the_order_of_their_making(
    server: PrivateServer, database: str, reader: Client, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (u UUID DEFAULT UUID_v7() PRIMARY KEY, id INT NOT NULL)")
    writer.open("hs.t", ["id"], index="0")
    for id in range(200):
        assert writer.request(1, "+", 1, id) == b"0\t1"
    reader.open("hs.t", ["id", "u"])
    found = reader.find(">=", ["00000000-0000-7000-8000-000000000000"], 999)
    assert [int(id or b"") for id, _ in found] == list(range(200))
    middle = (found[100][1] or b"").decode()
    assert UUID(middle).version == 7
    assert reader.find(">", [middle], 999) == found[101:]
    assert reader.find("<", [middle], 999) == found[:100][::-1]


def packed(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def test_vectors_are_compared_as_their_bytes_are_in_sql(
    server: PrivateServer, database: str, reader: Client
) -> None:
    server.sql("CREATE TABLE hs.v (id INT PRIMARY KEY, g INT, e VECTOR(2) NOT NULL, KEY e (e), KEY ge (g, e))")
    rng = random.Random(1)
    vectors = [packed(rng.uniform(-9, 9), rng.choice([-1.5, 0.0, 10.0])) for _ in range(40)]
    for id, vector in enumerate(vectors):
        server.sql(f"INSERT INTO hs.v VALUES ({id}, 1, X'{vector.hex()}')")
    reader.open("hs.v", ["id"], filters=["e"])
    reader.open("hs.v", ["id"], index="e", id=2)
    reader.open("hs.v", ["id"], index="ge", id=3)
    for vector in [*vectors[:10], packed(0, 0), packed(10, 20), packed(-1e-9, 1e9)]:
        for op in ("=", *OPERATORS):
            order = "e, id" if op in ("=", ">", ">=") else "e DESC, id DESC"
            expected = [
                (b"%d" % id,)
                for (id,) in server.sql(f"SELECT id FROM hs.v WHERE e {op} X'{vector.hex()}' ORDER BY {order}")
            ]
            assert reader.find(op, [vector], 99, id=2) == expected, (op, vector)
            assert reader.find(op, [1, vector], 99, id=3) == expected, (op, vector)
            filtered = rows(reader.request(1, ">=", 1, 0, 99, 0, "F", op, 0, vector))
            assert sorted(filtered) == sorted(expected), (op, vector)
