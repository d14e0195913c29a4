"""Reading and changing rows."""

from __future__ import annotations

import pytest
from driver import ClientError, Driver
from private_server import PrivateServer

pytestmark = pytest.mark.usefixtures("users")
COLUMNS = ["id", "name", "n"]


def row(number: int) -> dict[str, object]:
    return {"id": number, "name": f"user {number}", "n": number * 10}


def ids(rows: list[dict[str, object]]) -> list[object]:
    return [one["id"] for one in rows]


def test_get_gives_the_row_or_nothing(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.get(key=[3]) == row(3)
    assert table.get(key=[99]) is None


def test_a_table_without_columns_has_all_of_them(client: Driver) -> None:
    assert client.table("user").get(key=[3]) == row(3)


def test_a_list_of_no_columns_hides_no_row(client: Driver) -> None:
    try:
        assert client.table("hs.user", []).get(key=[3]) == row(3)  # in C, where it is no list
    except ClientError as error:
        assert error.name == "ValueError"


def test_get_many_answers_in_the_order_of_the_keys(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.get_many(keys=[[3], [99], [1], [3]]) == [row(3), None, row(1), row(3)]
    assert table.get_many(keys=[]) == []


def test_find_takes_operators_limits_and_offsets(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert ids(table.find(op=">=", key=[4], limit=3)) == [4, 5, 6]
    assert ids(table.find(op="<", key=[4], limit=2, offset=1)) == [2, 1]
    assert ids(table.find(op=">", key=[9])) == [10]


def test_find_takes_filters(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    filters = [["name", "!=", "user 5"], ["n", "<", 80]]
    assert ids(table.find(op=">=", key=[4], limit=10, filters=filters)) == [4, 6, 7]


def test_a_while_filter_ends_the_search(client: Driver, server: PrivateServer) -> None:
    server.sql("UPDATE hs.user SET n = 0 WHERE id = 9")
    table = client.table("hs.user", COLUMNS)
    below, odd = ["n", "<", 70, "while"], ["name", "!=", "user 5"]
    assert ids(table.find(op=">=", key=[4], limit=10, filters=[below, odd])) == [4, 6]
    assert ids(table.find(op=">=", key=[4], limit=10, filters=[odd, below])) == [4, 6]
    assert ids(table.find(op=">=", key=[4], limit=10, filters=[["n", "<", 70]])) == [4, 5, 6, 9]
    assert table.count(op=">=", key=[4], filters=[below]) == 3
    for page in (1, 2, 3, 1000):
        assert ids(table.range(start=[4], filters=[below, odd], page=page)) == [4, 6]
        assert ids(table.range(start=[6], reverse=True, filters=[["n", ">", 30, "while"]], page=page)) == [6, 5, 4]
    every = {"op": ">=", "key": [4], "limit": 4294967295, "filters": [below]}
    assert table.update(**every, values={"name": "x"}) == 3
    assert table.delete(**every) == 3
    assert ids(table.find(op=">=", key=[1], limit=10)) == [1, 2, 3, 7, 8, 9, 10]


def test_a_while_filter_ends_a_list_but_not_the_lists_of_find_all(client: Driver, server: PrivateServer) -> None:
    server.sql("UPDATE hs.user SET name = IF(id <= 5, 'a', 'b'), n = id % 5")
    below = ["n", "<", 4, "while"]
    found = client.table("hs.user", COLUMNS).find(
        **{"op": "=", "key": [0], "limit": 9, "in": {"column": "id", "values": [1, 4, 2]}, "filters": [below]}
    )
    assert ids(found) == [1]
    table = client.table("hs.user", COLUMNS, index="by_name")
    found = table.find_all(op="=", key=[""], in_column="name", values=["a", "b"], limit=9, filters=[below])
    assert ids(found) == [1, 2, 3, 6, 7, 8]


def test_find_takes_a_list_of_values(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    found = table.find(**{"op": "=", "key": [0], "limit": 9, "in": {"column": "id", "values": [7, 99, 2]}})
    assert ids(found) == [7, 2]


def test_find_all_gives_all_rows_of_each_value(client: Driver, server: PrivateServer) -> None:
    server.sql("UPDATE hs.user SET name = 'same' WHERE id IN (2, 4, 6)")
    table = client.table("hs.user", COLUMNS, index="by_name")
    found = table.find_all(op="=", key=[""], in_column="name", values=["same", "user 1"], limit=2)
    assert ids(found) == [2, 4, 1]


def test_range_pages_in_both_directions(client: Driver) -> None:
    table = client.table("hs.user", ["name"])
    names = [f"user {number}" for number in range(1, 11)]
    for page in (1, 2, 3, 1000):
        got = table.range(start=[2], stop=[9], page=page)
        assert got == [{"name": name} for name in names[1:8]]
        got = table.range(start=[9], stop=[2], reverse=True, page=page)
        assert got == [{"name": name} for name in reversed(names[2:9])]


def test_range_pages_through_rows_with_the_same_key(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.same (id INT PRIMARY KEY, k INT, KEY k (k))")
    server.sql("INSERT INTO hs.same SELECT seq, seq DIV 7 FROM hs.seq_1_to_30")
    table = client.table("hs.same", ["id"], index="k")
    for page in (1, 2, 3, 5):
        assert ids(table.range(start=[0], page=page)) == list(range(1, 31))


def test_count_and_exists(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.count(op=">=", key=[4]) == 7
    assert table.count(op=">=", key=[4], limit=2) == 2
    assert table.count(op=">=", key=[1], filters=[["n", ">", 50]]) == 5
    assert table.exists(key=[4]) is True and table.exists(key=[99]) is False


def test_insert_gives_the_generated_id(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.auto (id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE)")
    table = client.table("hs.auto", ["id", "v"])
    assert table.insert(row={"v": 7}) == 1
    assert client.table("hs.user", COLUMNS).insert(row=row(11)) is None
    assert table.insert_ignore(row={"v": 8}) == {"inserted": True, "id": 2}
    assert table.insert_ignore(row={"v": 8})["inserted"] is False
    assert server.sql("SELECT v FROM hs.auto ORDER BY v") == [(7,), (8,)]


def test_upsert_tells_what_it_did(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.upsert(row=row(20))["did"] == "inserted"
    assert table.upsert(row={**row(20), "n": 1})["did"] == "updated"
    assert table.upsert(row={**row(20), "n": 1})["did"] == "unchanged"
    assert table.upsert(row=row(20), update={"n": 5})["did"] == "updated"
    assert table.get(key=[20]) == {**row(20), "n": 5}


def test_replace_tells_how_many_rows_it_replaced(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.replace(row=row(20))["replaced"] == 0
    assert table.replace(row={"id": 20, "name": "new"})["replaced"] == 1
    assert table.get(key=[20]) == {"id": 20, "name": "new", "n": 0}


def test_update_and_delete_give_the_number_of_rows(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.update(key=[3], values={"name": "x"}) == 1
    assert table.get(key=[3]) == {**row(3), "name": "x"}
    assert table.update(key=[99], values={"name": "x"}) == 0
    assert table.update(op=">=", key=[8], limit=2, values={"n": 0}) == 2
    assert table.delete(key=[3]) == 1 and table.delete(key=[3]) == 0
    assert table.delete(op=">=", key=[5], limit=9, filters=[["n", "=", 0]]) == 2


def test_increment_counts_and_decrement_does_not_cross_zero(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.increment(key=[3], amounts={"n": 5}) == 1
    assert table.decrement(key=[3], amounts={"n": 30}) == 1
    assert table.decrement(key=[3], amounts={"n": 30}) == 0
    assert table.get(key=[3]) == {**row(3), "n": 5}


def test_compare_and_set_changes_only_what_is_as_expected(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.compare_and_set(key=[3], expected={"n": 30}, values={"n": 31}) is True
    assert table.compare_and_set(key=[3], expected={"n": 30}, values={"n": 32}) is False
    assert table.update(key=[3], values={"name": None}) == 1
    assert table.compare_and_set(key=[3], expected={"name": None}, values={"name": "a"}) is True


def test_changes_give_rows_before_and_after(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.update(key=[3], values={"n": 1}, returning="before")[0]["n"] == 30
    assert table.update(key=[3], values={"n": 2}, returning="after")[0]["n"] == 2
    assert table.increment(key=[3], amounts={"n": 5}, returning="after")[0]["n"] == 7
    assert table.delete(key=[4], returning="before") == [row(4)]
    (added,) = table.insert(row={"id": 30, "name": "new"}, returning="after")
    assert (added["id"], added["name"]) == (30, "new")
    assert table.upsert(row={"id": 30, "n": 9}, returning="before")[0]["n"] == 0


def test_changes_of_a_pipeline_give_rows(client: Driver) -> None:
    table = client.table("hs.user", ["id", "name", "n"])
    answers = client.pipeline(
        table.of("update", key=[3], values={"n": 1}, returning="before"),
        table.of("increment", key=[3], amounts={"n": 5}, returning="after"),
        table.of("decrement", key=[3], amounts={"n": 2}, returning="before"),
        table.of("delete", key=[4], returning="before"),
        table.of("insert", row={"id": 30, "name": "new"}, returning="after"),
        table.of("insert_ignore", row={"id": 31, "name": "other"}, returning="after"),
        table.of("upsert", row={"id": 30, "n": 9}, returning="before"),
        table.of("replace", row={"id": 31, "n": 7}, returning="after"),
        table.of("update", key=[99], values={"n": 1}, returning="before"),
        table.of("get", key=[3]),
    )
    assert answers[:3] == [[{"n": 30}], [{"n": 6}], [{"n": 6}]]
    assert answers[3] == [row(4)]
    assert [answers[4][0]["name"], answers[5][0]["name"], answers[6][0]["n"], answers[7][0]["n"]] == ["new", "other", 0, 7]
    assert answers[8:] == [[], {"id": 3, "name": "user 3", "n": 4}]


def test_one_row_is_meant_without_a_limit(client: Driver, server: PrivateServer) -> None:
    server.sql("UPDATE hs.user SET name = 'same'")
    table = client.table("hs.user", COLUMNS, index="by_name")
    every = {"limit": 4294967295}
    assert len(table.find(op="=", key=["same"])) == len(table.find(op="=", key=["same"], limit=0)) == 1
    assert len(table.find(op="=", key=["same"], **every)) == table.count(op="=", key=["same"]) == 10
    assert table.update(key=["same"], values={"n": 1}) == 1
    assert table.update(key=["same"], values={"n": 2}, **every) == 10
    assert table.increment(key=["same"], amounts={"n": 1}) == 1
    assert table.delete(key=["same"]) == 1 and table.delete(key=["same"], **every) == 9


def test_rows_of_changes_have_the_columns_that_were_set(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.update(key=[3], values={"n": 1}, returning="before") == [{"n": 30}]
    assert table.increment(key=[3], amounts={"n": 1}, returning="after") == [{"n": 2}]
    assert table.insert(row={"id": 30}, returning="after") == [{"id": 30, "name": None, "n": 0}]


def test_errors_have_their_classes(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    cases = [
        ("DuplicateKeyError", lambda: table.insert(row=row(1))),
        ("ConstraintError", lambda: table.insert(row={"id": "x"})),
        ("NotFoundError", lambda: client.table("hs.nosuch", ["a"]).get(key=[1])),
        ("NotFoundError", lambda: client.table("hs.user", ["nosuch"]).get(key=[1])),
        ("NotFoundError", lambda: client.table("hs.user", COLUMNS, index="nosuch").get(key=[1])),
        ("ValueError", lambda: table.insert(row={})),
        ("ValueError", lambda: table.upsert(row={})),
        ("ValueError", lambda: table.update(key=[1], values={})),
        ("ValueError", lambda: table.compare_and_set(key=[1], expected={}, values={"n": 1})),
        ("ValueError", lambda: table.get(key=[])),
        ("ValueError", lambda: table.find(op="LIKE", key=[1])),
        ("ValueError", lambda: table.find(op="=", key=[1], limit=-1)),
    ]
    for name, act in cases:
        with pytest.raises(ClientError) as caught:
            act()
        assert caught.value.name == name, caught.value
    assert table.get(key=[3]) == row(3)


def test_an_error_has_the_servers_code_text_and_number(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    with pytest.raises(ClientError) as caught:
        table.insert(row=row(1))
    assert (caught.value.members["code"], caught.value.members["text"]) == (1, "121")
    with pytest.raises(ClientError) as caught:
        table.insert(row={"id": "x"})
    assert caught.value.members["number"] in (1265, 1366)
    assert caught.value.members["text"].startswith("sql_1")
