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
