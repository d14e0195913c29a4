"""How a table is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from driver import ClientError, Driver
from private_server import PrivateServer

# The names of databases and tables, and how a client names the table. Two are one text but for their backquotes.
NAMES = {
    ("odd.name", "user"): "`odd.name`.user",
    ("odd.name", "a.b"): "`odd.name`.`a.b`",
    ("odd.name", "c``d.`e"): "`odd.name`.`c````d.``e`",
    ("hs", "f.g"): "hs.f.g",
    ("odd", "name.user"): "odd.name.user",
}
DATABASES = ["odd.name", "odd"]
REFUSED = ["`odd.name", "`odd.name`user", "``.user", "hs.`user", "hs.`user`x", "hs.``", "hs.", ".user"]


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@pytest.fixture
def odd(server: PrivateServer) -> Iterator[None]:
    """The tables of NAMES, with a row that holds the table's name."""
    for database in DATABASES:
        server.sql(f"CREATE DATABASE `{database}` CHARACTER SET utf8mb4")
    for database, table in NAMES:
        place = f"{quoted(database)}.{quoted(table)}"
        server.sql(f"CREATE TABLE {place} (id INT PRIMARY KEY, name VARCHAR(50))")
        server.sql(f"INSERT INTO {place} VALUES (1, %s)", [table])
    yield
    for database in DATABASES:
        server.sql(f"DROP DATABASE `{database}`")
    server.sql("DROP TABLE hs.`f.g`")


def test_a_name_may_stand_in_backquotes(client: Driver, server: PrivateServer, odd: None) -> None:
    for (database, table), name in NAMES.items():
        named = client.table(name)
        assert named.get(key=[1]) == {"id": 1, "name": table}
        named.insert(row={"id": 2, "name": "new"})
        place = f"{quoted(database)}.{quoted(table)}"
        assert server.sql(f"SELECT name FROM {place} WHERE id = 2") == [("new",)]


def test_names_that_differ_in_backquotes_alone_are_two_tables(
    client: Driver, server: PrivateServer, odd: None
) -> None:
    server.sql("CREATE OR REPLACE TABLE odd.`name.user` (name INT PRIMARY KEY, id VARCHAR(9))")
    server.sql("INSERT INTO odd.`name.user` VALUES (7, '007'), (8, '008')")
    server.sql("INSERT INTO `odd.name`.user VALUES (7, '007')")
    for columns in (None, ["id", "name"]):
        digits = client.table("odd.name.user", columns)
        texts = client.table("`odd.name`.user", columns)
        for _ in range(2):
            assert digits.get(key=[7]) == {"id": "007", "name": 7}
            assert texts.get(key=[7]) == {"id": 7, "name": "007"}
    rows = [{"id": "007", "name": 7}, {"id": "008", "name": 8}]
    assert digits.range(page=1) == rows and digits.get_many(keys=[7, 8]) == rows
    rows = [{"id": 1, "name": "user"}, {"id": 7, "name": "007"}]
    assert texts.range(page=1) == rows and texts.get_many(keys=[1, 7]) == rows


def test_a_database_of_any_name_is_the_clients_own(make_driver: object, url: str, odd: None) -> None:
    client = make_driver()  # type: ignore[operator]
    client.call("connect", url=url.replace("/hs?", "/odd.name?", 1))
    assert client.table("user").get(key=[1]) == {"id": 1, "name": "user"}
    assert client.table("`a.b`").get(key=[1]) == {"id": 1, "name": "a.b"}
    assert client.table("hs.f.g").get(key=[1]) == {"id": 1, "name": "f.g"}


def test_a_name_that_is_none_is_refused(client: Driver) -> None:
    for name in REFUSED:
        with pytest.raises(ClientError) as refused:
            client.table(name).get(key=[1])
        assert refused.value.name == "ValueError", name
