"""Tables that are altered, renamed and dropped while a client has them open."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

import pytest
from driver import ClientError, Driver
from private_server import PrivateServer

pytestmark = pytest.mark.usefixtures("users")
THREE = {"id": 3, "name": "user 3", "n": 30}
COLUMNS = list(THREE)


def refused(call: Any, **arguments: Any) -> str:
    """The class of the error that the call ends with."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.name


def test_a_column_that_is_added_changes_nothing_for_those_who_have_the_table(
    client: Driver, server: PrivateServer
) -> None:
    named, whole = client.table("hs.user", COLUMNS), client.table("hs.user")
    for table in (named, whole):
        assert table.get(key=[3]) == THREE
        assert table.update(key=[3], values={"n": 30}) == 1
    server.sql("ALTER TABLE hs.user ADD COLUMN more INT NOT NULL DEFAULT 5 AFTER id")
    for table in (named, whole):
        assert table.get(key=[3]) == THREE
        assert table.get_many(keys=[[3], [99]]) == [THREE, None]
        assert table.update(key=[3], values={"n": 30}) == 1
    assert client.table("hs.user", ["more"]).get(key=[3]) == {"more": 5}
    assert named.insert(row={"id": 11, "name": "new", "n": 1}) is None
    assert server.sql("SELECT more FROM hs.user WHERE id = 11") == [(5,)]


def test_what_is_dropped_is_not_found_and_the_rest_goes_on(client: Driver, server: PrivateServer) -> None:
    by_name = client.table("hs.user", ["id", "n"], index="by_name")
    named, other = client.table("hs.user", COLUMNS), client.table("hs.user", ["id", "n"])
    assert by_name.get(key=["user 3"]) == other.get(key=[3]) == {"id": 3, "n": 30}
    assert named.get(key=[3]) == THREE and named.update(key=[3], values={"name": "user 3"}) == 1
    server.sql("ALTER TABLE hs.user DROP INDEX by_name, DROP COLUMN name")
    for _ in range(2):
        assert refused(by_name.get, key=["user 3"]) == "NotFoundError"
        assert refused(named.get, key=[3]) == "NotFoundError"
        assert refused(named.update, key=[3], values={"name": "x"}) == "NotFoundError"
        assert other.get(key=[3]) == {"id": 3, "n": 30}
        assert other.update(key=[3], values={"n": 30}) == 1
    server.sql("ALTER TABLE hs.user ADD COLUMN name VARCHAR(50), ADD KEY by_name (name)")
    server.sql("UPDATE hs.user SET name = CONCAT('user ', id)")
    assert by_name.get(key=["user 3"]) == {"id": 3, "n": 30}
    assert named.get(key=[3]) == THREE and named.update(key=[3], values={"name": "user 3"}) == 1


def test_a_table_that_is_renamed_is_not_found_until_it_is_back(client: Driver, server: PrivateServer) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.get(key=[3]) == THREE and table.update(key=[3], values={"n": 30}) == 1
    server.sql("RENAME TABLE hs.user TO hs.away")
    try:
        for _ in range(2):
            assert refused(table.get, key=[3]) == "NotFoundError"
            assert refused(table.update, key=[3], values={"n": 31}) == "NotFoundError"
            assert refused(table.insert, row=THREE) == "NotFoundError"
        assert client.table("hs.away", COLUMNS).get(key=[3]) == THREE
    finally:
        server.sql("RENAME TABLE hs.away TO hs.user")
    assert table.get(key=[3]) == THREE and table.update(key=[3], values={"n": 30}) == 1


def test_a_type_that_is_altered_is_asked_for_again(
    client: Driver, language: str, server: PrivateServer, url: str
) -> None:
    """A value that the type known so far cannot hold is no row; the next call has the new type. In C and C++ the
    program reads values as what they were, so it is the program that finds out, and makes a new client."""
    table = client.table("hs.user", COLUMNS)
    assert table.get(key=[3]) == THREE
    server.sql("ALTER TABLE hs.user MODIFY n VARCHAR(20) NOT NULL")
    server.sql("UPDATE hs.user SET n = 'thirty' WHERE id = 3")
    if language in ("c", "cpp"):
        client.call("connect", url=url)
        table = client.table("hs.user", COLUMNS)
    else:
        assert refused(table.get, key=[3]) == "ProtocolError"
    for one in (table, client.table("hs.user", COLUMNS)):
        assert one.get(key=[3]) == {**THREE, "n": "thirty"}


def test_an_index_that_is_refused_is_not_taken_for_the_one_in_whose_place_it_comes(client: Driver) -> None:
    """A connection has 256 open at most. When the server refuses a further one, that of the id is still open."""
    table = client.table("hs.user", COLUMNS)
    filters = [[[column, "=", 0] for column in columns] for columns in islice(product(COLUMNS, repeat=6), 300)]
    fill = [table.of("update", key=[99], values={"n": 1}, filters=one) for one in filters]
    wrong = table.of("update", key=[3], values={"no_such": 77})
    right = table.of("increment", key=[5], amounts={"n": 1})
    assert client.pipeline(*fill) == [0] * 300
    for _ in range(3):
        assert refused(table.update, key=[3], values={"no_such": 77}) == "NotFoundError"
        answers = client.pipeline(right, wrong, fill[0], wrong, fill[1], right)
        assert [answers[at] for at in (0, 2, 4, 5)] == [1, 0, 0, 1]
        assert [answers[at].name for at in (1, 3)] == ["NotFoundError"] * 2
    assert client.pipeline(*fill, *fill, right) == [0] * 600 + [1]
    assert table.get(key=[3]) == THREE and table.get(key=[5])["n"] == 57


BY_NAME = "ADD KEY k (name, id)"
KEYED = ["id", "name", "n"]


def make_keyed(server: PrivateServer) -> None:
    """Rows whose n goes down as their id goes up; one has none."""
    server.sql("CREATE OR REPLACE TABLE hs.keyed (id INT PRIMARY KEY, name VARCHAR(9), n VARCHAR(9), KEY k (name, id))")
    server.sql("INSERT INTO hs.keyed SELECT seq, CONCAT('a', seq), CONCAT('b', 9 - seq) FROM hs.seq_1_to_8")


def ids(rows: list[dict[str, Any]]) -> list[int]:
    return [row["id"] for row in rows]


@pytest.mark.parametrize("page", [2, 1000])
def test_an_index_that_is_made_anew_with_other_columns_is_noticed(
    client: Driver, language: str, server: PrivateServer, page: int
) -> None:
    make_keyed(server)
    table = client.table("hs.keyed", KEYED, index="k")
    listed = {"column": "name", "values": ["a3", "a5"]}
    assert ids(table.range(page=page)) == list(range(1, 9))
    assert ids(table.find(op="=", key=["", 5], limit=9, **{"in": listed})) == [5]
    assert ids(table.find_all(op="=", key=[""], in_column="name", values=["a3"])) == [3]
    server.sql("ALTER TABLE hs.keyed DROP KEY k, ADD KEY k (n)")
    assert ids(table.range(page=page)) == list(range(8, 0, -1))
    assert ids(table.range(page=page, start=["b3"], stop="b6")) == [6, 5, 4]
    assert table.get_many(keys=[["b8"], ["b6"]]) == [table.get(key=["b8"]), table.get(key=["b6"])]
    server.sql("ALTER TABLE hs.keyed DROP KEY k, ADD KEY k (id, name)")
    assert ids(table.find(op="=", key=[5, ""], limit=9, **{"in": listed})) == [5]
    assert ids(table.find_all(op="=", key=[3, ""], in_column="name", values=["a3", "a4"])) == [3]
    server.sql("ALTER TABLE hs.keyed DROP KEY k, ADD KEY k (n)")
    assert refused(table.find_all, op="=", key=[3], in_column="name", values=["a3"]) == "ValueError"
    server.sql("ALTER TABLE hs.keyed ADD m INT, DROP KEY k, ADD KEY k (m)")
    server.sql("UPDATE hs.keyed SET m = -id WHERE id > 3")
    assert ids(table.range(page=page)) == [1, 2, 3, 8, 7, 6, 5, 4]
    if language not in ("php", "python"):  # whose pipelines take no lists of values
        found = client.pipeline(table.of("find_all", op="=", key=[0], in_column="m", values=[-4, -5]))
        assert ids(found[0]) == [4, 5]
    client.call("begin")
    assert ids(table.find(op="=", key=[0], limit=9, **{"in": {"column": "m", "values": [-4, -5]}})) == [4, 5]
    assert ids(table.range(page=page)) == [1, 2, 3, 8, 7, 6, 5, 4]
    client.call("rollback")


def test_keys_are_not_taken_for_the_text_of_an_index_that_was(client: Driver, server: PrivateServer) -> None:
    make_keyed(server)
    table = client.table("hs.keyed", KEYED, index="k")
    assert table.get_many(keys=[["a1"], ["x"]])[1] is None
    server.sql("UPDATE hs.keyed SET name = 'b1', n = 'b2' WHERE id = 1")
    server.sql("DELETE FROM hs.keyed WHERE id > 1")
    server.sql("ALTER TABLE hs.keyed DROP KEY k, ADD KEY k (n)")
    row = {"id": 1, "name": "b1", "n": "b2"}
    assert table.get_many(keys=[["b1"], ["b2"]]) == [None, row]


def test_a_range_ends_when_its_index_is_made_anew_with_other_columns(
    behind: Any, proxies: Any, server: PrivateServer
) -> None:
    """Else it would go along an order that its key is none of, maybe for ever."""
    make_keyed(server)
    table = behind().table("hs.keyed", KEYED, index="k")
    pages: list[bytes] = []

    def alter(data: bytes) -> None:
        pages.extend(line for line in data.split(b"\n") if b"\t>=\t" in line)
        if len(pages) == 2:
            pages.append(b"")
            server.sql("ALTER TABLE hs.keyed DROP KEY k, ADD KEY k (n)")

    proxies[0].watch = alter
    assert refused(table.range, page=2) == "NotFoundError"
    proxies[0].watch = None
    assert ids(table.range(page=2)) == list(range(8, 0, -1))
