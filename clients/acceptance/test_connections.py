"""Pipelines, transactions, split replies, connections that break, timeouts."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import compress
from typing import Any

import on_mysql
import pytest
from driver import ClientError, Driver, Table
from private_server import PrivateServer
from proxy import Proxy

pytestmark = pytest.mark.usefixtures("users")
COLUMNS = ["id", "name", "n"]
Proxies = tuple[Proxy, Proxy]
Connect = Callable[..., Driver]
THREE = {"id": 3, "name": "user 3", "n": 30}


def test_a_pipeline_answers_in_order_and_an_error_is_of_its_call_alone(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    answers = client.pipeline(
        table.of("get", key=[3]),
        table.of("insert", row=THREE),
        table.of("update", key=[3], values={"n": 31}),
        table.of("get", key=[3]),
    )
    assert answers[0] == THREE and answers[2:] == [1, {**THREE, "n": 31}]
    assert isinstance(answers[1], ClientError) and answers[1].name == "DuplicateKeyError"


def test_ten_thousand_requests_in_a_pipeline(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    keys = [number % 12 for number in range(10_000)]
    answers = client.pipeline(*(table.of("get", key=[key]) for key in keys))
    assert [one and one["id"] for one in answers] == [key if 1 <= key <= 10 else None for key in keys]


def test_a_hundred_threads_share_a_client(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    calls = [table.of("get", key=[3]), table.of("increment", key=[5], amounts={"n": 1})]
    answers = client.call("threads", count=100, calls=calls * 5)
    assert len(answers) == 100
    assert all(one == [{"ok": THREE}, {"ok": 1}] * 5 for one in answers)
    assert table.get(key=[5])["n"] == 550


def test_a_transaction_commits_and_rolls_back(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    client.call("begin")
    assert table.update(key=[3], values={"n": 1}) == 1
    assert table.get(key=[3])["n"] == 1
    client.call("rollback")
    assert table.get(key=[3]) == THREE
    client.call("begin", isolation="RC")
    table.increment(key=[3], amounts={"n": 1})
    client.call("savepoint", name="here")
    table.increment(key=[3], amounts={"n": 1})
    client.call("rollback_to", name="here")
    client.call("commit")
    assert table.get(key=[3])["n"] == 31


def test_threads_that_share_a_transaction_wait_for_their_turn(client: Driver, language: str) -> None:
    """No thread is given what another one asked for. Rust, and a process that has forked, is told
    that it may not."""
    table = client.table("hs.user", COLUMNS)
    client.call("begin")
    assert table.update(key=[3], values={"n": 1}) == 1
    keys = list(range(1, 11)) * 3
    answers = client.call("threads", count=20, calls=[table.of("get", key=[key]) for key in keys])
    for own in answers:
        for key, answer in zip(keys, own):
            if language in ("perl", "rust") and "error" in answer:
                assert answer["error"]["class"] == "ValueError"
            else:
                assert answer["ok"]["id"] == key, answer
    assert table.get(key=[3])["n"] == 1
    client.call("commit")
    assert table.get(key=[3])["n"] == 1


def test_a_transaction_that_reads_only_changes_nothing(client: Driver) -> None:
    table = client.table("hs.user", COLUMNS)
    client.call("begin", isolation="RR", read_only=True)
    assert table.get(key=[3]) == THREE
    with pytest.raises(ClientError) as caught:
        table.update(key=[3], values={"n": 1})
    assert caught.value.name == "ReadOnlyError"
    client.call("rollback")


def test_a_transaction_that_was_lost_says_so(client: Driver, server: PrivateServer) -> None:
    table = client.table("hs.user", COLUMNS)
    client.call("begin")
    table.update(key=[3], values={"n": 1})
    find = "SELECT id FROM information_schema.processlist WHERE state = 'handlersocket: transaction'"
    for (number,) in server.sql(find):
        server.sql(f"KILL {number}")
    with pytest.raises(ClientError) as caught:
        client.call("commit")
    assert caught.value.name == "TransactionLostError"
    assert table.get(key=[3]) == THREE


def test_a_transaction_whose_connection_broke_takes_no_more(behind: Connect, proxies: Proxies) -> None:
    client = behind(timeout=0.5, retries=0)
    table = client.table("hs.user", COLUMNS)
    client.call("begin")
    assert table.update(key=[3], values={"n": 1}) == 1
    proxies[1].held = True
    with pytest.raises(ClientError) as caught:
        table.get(key=[4])
    assert caught.value.name == "TimeoutError"
    proxies[1].release()  # so that a reply is there that nobody waits for
    for ask in (lambda: table.get(key=[5]), lambda: client.call("commit")):
        with pytest.raises(ClientError) as caught:
            ask()
        assert caught.value.name == "ConnectionError" and not caught.value.members.get("sent")
    assert table.get(key=[3]) == THREE
    assert table.increment(key=[3], amounts={"n": 1}) == 1


def test_a_commit_whose_reply_is_lost_may_have_been_done(behind: Connect, proxies: Proxies) -> None:
    client = behind()
    table = client.table("hs.user", COLUMNS)
    client.call("begin")
    assert table.update(key=[3], values={"n": 1}) == 1
    proxies[1].cut_after = 0
    with pytest.raises(ClientError) as caught:
        client.call("commit")
    assert caught.value.name == "ConnectionError" and caught.value.members["sent"]
    assert table.get(key=[3])["n"] == 1


def test_replies_may_come_byte_by_byte(behind: Connect, proxies: Proxies) -> None:
    for proxy in proxies:
        proxy.piece = 1
    table = behind().table("hs.user", COLUMNS)
    assert table.get_many(keys=[[3], [99], [3]]) == [THREE, None, THREE]
    assert table.update(key=[3], values={"name": "a\tb\n\0\x01"}) == 1
    assert table.get(key=[3])["name"] == "a\tb\n\0\x01"


def test_a_read_is_sent_again_when_its_connection_breaks(behind: Connect, proxies: Proxies) -> None:
    table = behind().table("hs.user", COLUMNS)
    assert table.get(key=[3]) == THREE
    for cut in (0, 1, 5):
        proxies[0].cut_after = cut
        assert table.get(key=[3]) == THREE
    proxies[0].cut_after = 200
    assert table.get_many(keys=[[3]] * 100) == [THREE] * 100


def test_reads_go_on_when_all_connections_have_ended(behind: Connect, proxies: Proxies) -> None:
    """As when the server was restarted: the first one that turns out to have ended makes the others doubtful."""
    client = behind(retries=1)
    table = client.table("hs.user", COLUMNS)
    for _ in range(5):
        client.call("threads", count=16, calls=[table.of("get", key=[3])] * 20)
        for proxy in proxies:
            proxy.drop()
        assert table.get(key=[3]) == THREE and table.increment(key=[3], amounts={"n": 0}) == 1


def test_indexes_are_open_again_after_a_reconnect(behind: Connect, proxies: Proxies) -> None:
    client = behind()
    table, other = client.table("hs.user", COLUMNS), client.table("hs.user", ["name"])
    for _ in range(3):
        assert table.get(key=[3]) == THREE and other.get(key=[3]) == {"name": "user 3"}
        assert table.update(key=[3], values={"n": 30}) == 1
        for proxy in proxies:
            proxy.drop()


def test_a_change_whose_reply_is_lost_is_not_sent_again(behind: Connect, proxies: Proxies) -> None:
    table = behind().table("hs.user", COLUMNS)
    assert table.increment(key=[3], amounts={"n": 1}) == 1
    proxies[1].cut_after = 2
    with pytest.raises(ClientError) as caught:
        table.increment(key=[3], amounts={"n": 1})
    assert caught.value.name == "ConnectionError" and caught.value.members["sent"] is True
    assert table.get(key=[3])["n"] == 32
    assert table.increment(key=[3], amounts={"n": 1}) == 1


def test_a_pipeline_that_breaks_in_its_middle_is_not_repeated(behind: Connect, proxies: Proxies) -> None:
    client = behind()
    table = client.table("hs.user", COLUMNS)
    assert table.increment(key=[3], amounts={"n": 0}) == 1
    proxies[1].cut_after = 61
    calls = [table.of("increment", key=[3], amounts={"n": 1})] * 100
    try:
        failed = [one for one in client.pipeline(*calls) if isinstance(one, ClientError)]
    except ClientError as error:
        failed = [error]
    assert failed and all(one.name == "ConnectionError" for one in failed)
    assert 30 < table.get(key=[3])["n"] <= 130
    assert table.increment(key=[3], amounts={"n": 1}) == 1


def of_many_indexes(client: Driver, server: PrivateServer) -> list[dict[str, Any]]:
    """Inserts of 300 rows, with an index each: more than a connection opens."""
    names = [f"c{number}" for number in range(9)]
    server.sql("DROP TABLE IF EXISTS hs.wide")
    server.sql(f"CREATE TABLE hs.wide (id INT PRIMARY KEY, {', '.join(f'{name} INT' for name in names)})")
    table = client.table("hs.wide", ["id"])
    assert table.insert(row={"id": 1000}) is None  # so that there is a connection
    sets = [list(compress(names, map(int, f"{number:09b}"))) for number in range(300)]
    return [table.of("insert", row={"id": at, **dict.fromkeys(sets[at], 1)}) for at in range(300)]


def tells_what_was_sent(client: Driver, server: PrivateServer, calls: list[dict[str, Any]], language: str) -> None:
    """Whatever was carried out is an answer, or told as sent; the last call, which was not sent, is not where each
    call has an error of its own."""
    answers = client.pipeline(*calls)
    there = {key for (key,) in server.sql("SELECT id FROM hs.wide")}
    for key, answer in enumerate(answers):
        if isinstance(answer, ClientError):
            assert key not in there or answer.members.get("sent"), (key, answer)
    if language not in ("c", "cpp", "go", "java", "rust"):
        assert 299 in there or not answers[299].members.get("sent"), answers[299]


def test_calls_that_were_not_sent_any_more_are_told_so(
    behind: Connect, proxies: Proxies, server: PrivateServer, language: str
) -> None:
    """The connection breaks while a pipeline waits for the answers to its first part. Where the other one is sent by
    a new connection, its rows are there."""
    client = behind()
    calls = of_many_indexes(client, server)
    proxies[1].cut_after = 600
    tells_what_was_sent(client, server, calls, language)


def test_calls_behind_an_index_for_which_there_is_no_memory_are_told_so(
    client: Driver, server: PrivateServer, language: str
) -> None:
    calls = of_many_indexes(client, server)
    for bytes_ in (100_000, 265_000):
        server.sql("DELETE FROM hs.wide")
        server.sql(f"SET GLOBAL handlersocket_max_memory = {bytes_}")
        try:
            tells_what_was_sent(client, server, calls, language)
        finally:
            server.sql("SET GLOBAL handlersocket_max_memory = DEFAULT")


def test_a_connection_of_which_the_server_says_that_it_ends_is_not_used_again(
    behind: Connect, proxies: Proxies, server: PrivateServer
) -> None:
    """Its end may come later than its last answer, and a change that was sent meanwhile would be one that may have
    been carried out."""
    client = behind(timeout=2, retries=0)
    table = client.table("hs.user", COLUMNS)
    assert table.increment(key=[3], amounts={"n": 1}) == 1 and table.get(key=[3])["n"] == 31
    for proxy in proxies:
        proxy.keeps = True
    long = "x" * 100_000
    server.sql("SET GLOBAL handlersocket_max_request_size = 65536")
    try:
        for ask in (
            lambda: table.update(key=[3], values={"name": long}),
            lambda: table.find(op="=", key=[3], filters=[["name", "=", long]]),
        ):
            with pytest.raises(ClientError) as caught:
                ask()
            assert caught.value.members["text"] == "request_too_long"
        assert table.increment(key=[3], amounts={"n": 1}) == 1 and table.get(key=[3])["n"] == 32
        client.call("begin")
        for ask, name in (
            (lambda: table.update(key=[3], values={"name": long}), "ServerError"),
            (lambda: client.call("commit"), "ConnectionError"),
        ):
            with pytest.raises(ClientError) as caught:
                ask()
            assert caught.value.name == name and not caught.value.members.get("sent")
    finally:
        server.sql("SET GLOBAL handlersocket_max_request_size = DEFAULT")


def test_the_call_that_ends_the_connection_is_told_why_and_no_other(client: Driver, server: PrivateServer) -> None:
    table = client.table("hs.user", COLUMNS)
    assert table.increment(key=[3], amounts={"n": 0}) == 1
    server.sql("SET GLOBAL handlersocket_max_request_size = 65536")
    try:
        first, second, third = client.pipeline(
            table.of("increment", key=[3], amounts={"n": 1}),
            table.of("update", key=[3], values={"name": "x" * 100_000}),
            table.of("increment", key=[3], amounts={"n": 1}),
        )
    finally:
        server.sql("SET GLOBAL handlersocket_max_request_size = DEFAULT")
    assert first == 1 and second.members["text"] == "request_too_long"
    assert third == 1 or third.name == "ConnectionError"
    assert table.get(key=[3])["n"] == (32 if third == 1 else 31)


def test_a_connection_that_ends_takes_no_calls_of_others(client: Driver, server: PrivateServer) -> None:
    """Where threads share connections, the request of one ends that of another, which is done elsewhere."""
    table = client.table("hs.user", COLUMNS)
    assert table.increment(key=[3], amounts={"n": 0}) == 1
    server.sql("SET GLOBAL handlersocket_max_request_size = 65536")
    try:
        calls = [
            table.of("update", key=[3], values={"name": "x" * 100_000}),
            table.of("increment", key=[3], amounts={"n": 1}),
        ]
        answers = client.call("threads", count=2, calls=calls * 5)
    finally:
        server.sql("SET GLOBAL handlersocket_max_request_size = DEFAULT")
    for own in answers:
        assert all(one["error"].get("text") == "request_too_long" for one in own[::2]), own
        assert own[1::2] == [{"ok": 1}] * 5
    assert table.get(key=[3])["n"] == 40


def test_a_request_that_takes_too_long_is_a_timeout(behind: Connect, proxies: Proxies) -> None:
    table = behind(timeout=0.3, retries=0).table("hs.user", COLUMNS)
    assert table.get(key=[3]) == THREE
    proxies[0].held = True
    with pytest.raises(ClientError) as caught:
        table.get(key=[3])
    assert caught.value.name == "TimeoutError"
    proxies[0].release()
    assert table.get(key=[3]) == THREE


def test_a_server_that_is_not_there_is_a_connection_error(make_driver: Connect) -> None:
    client = make_driver()
    client.call("connect", url="hs://127.0.0.1:1?write_port=1&retries=1&connect_timeout=2")
    with pytest.raises(ClientError) as caught:
        client.call("ping")
    assert caught.value.name == "ConnectionError" and caught.value.members.get("sent") in (False, None)


def test_a_restart_of_the_server_is_survived(make_driver: Connect) -> None:
    with PrivateServer() as own:
        own.sql("CREATE DATABASE test")
        own.sql("CREATE TABLE test.t (id INT PRIMARY KEY, v INT)")
        client = make_driver()
        client.call("connect", url=f"hs://127.0.0.1:{own.port}?write_port={own.port_wr}")
        table = client.table("test.t", ["id", "v"])
        assert table.insert(row={"id": 1, "v": 2}) is None
        assert table.get(key=[1]) == {"id": 1, "v": 2}
        own.restart()
        assert table.get(key=[1]) == {"id": 1, "v": 2}
        assert table.update(key=[1], values={"v": 3}) == 1


def test_a_server_of_the_originals_kind_has_no_features(behind: Connect, proxies: Proxies) -> None:
    for proxy in proxies:
        proxy.original = True
    client = behind()
    assert client.call("features") == []
    table = client.table("hs.user", COLUMNS)
    got = table.get(key=[3])
    assert {name: str(value) for name, value in got.items()} == {"id": "3", "name": "user 3", "n": "30"}
    with pytest.raises(ClientError) as caught:
        table.count(op=">=", key=[1])
    assert caught.value.name == "UnsupportedError"


def test_options_that_are_wrong_are_refused(make_driver: Connect) -> None:
    for url in ("hs://x?nosuch=1", "hs://x?timeout=-1", "http://x", "hs://x?tls=a", "hs://x?gtid_timeout=601"):
        with pytest.raises(ClientError) as caught:
            make_driver().call("connect", url=url)
        assert caught.value.name == "ConfigurationError"


def test_describe_and_raw_and_features(client: Driver) -> None:
    assert "describe" in client.call("features")
    assert [one["column"] for one in client.call("describe", name="hs.user")] == COLUMNS
    assert [one["index"] for one in client.call("indexes", name="hs.user")] == ["PRIMARY", "by_name", "by_name"]
    code, columns, *values = client.call("raw", port="read", tokens=["D", "hs", "user", "I"])
    assert (code, columns) == (0, 6) and values


def test_a_change_has_a_gtid_that_can_be_waited_for(
    client: Driver, language: str, server: PrivateServer
) -> None:
    client.table("hs.user", COLUMNS).update(key=[3], values={"n": 1})
    gtid = client.call("last_gtid")
    assert on_mysql.GTID.fullmatch(gtid)
    assert client.call("wait_for_gtid", gtid=gtid, seconds=5) is True
    assert client.call("wait_for_gtid", gtid=on_mysql.GTID_THAT_NEVER_COMES, seconds=0.01) is False
    if language != "perl":  # whose threads have copies of the client
        call = client.table("hs.user", COLUMNS).of("increment", key=[5], amounts={"n": 1})
        client.call("threads", count=8, calls=[call] * 5)
    [(logged,)] = server.sql("SELECT @@gtid_binlog_pos")  # of MySQL all from the first one on
    assert client.call("last_gtid") == logged.replace(":1-", ":")


def test_reads_take_turns_on_replicas_and_see_their_own_writes(
    make_driver: Connect, server: PrivateServer, proxies: Proxies
) -> None:
    replicas = [Proxy(server.port), Proxy(server.port)]
    try:
        named = ",".join(f"127.0.0.1:{one.port}" for one in replicas)
        client = make_driver()
        client.call(
            "connect",
            url=f"hs://127.0.0.1:{proxies[0].port}?write_port={server.port_wr}"
            f"&replicas={named}&read_your_writes=on",
        )
        table = client.table("hs.user", COLUMNS)
        for number in range(10):
            assert table.update(key=[3], values={"n": number}) == 1
            assert table.get(key=[3])["n"] == number
        assert all(b"G\tW\t" in one.requests for one in replicas)
        assert proxies[0].connections == 0
    finally:
        for one in replicas:
            one.close()
    assert table.get(key=[3])["n"] == 9
    assert proxies[0].connections > 0


def behind_a_replica(client: Driver, server: PrivateServer, replica: Proxy, **options: Any) -> Table:
    more = "".join(f"&{name}={value}" for name, value in options.items())
    url = f"hs://127.0.0.1:{server.port}/hs?write_port={server.port_wr}{more}"
    client.call("connect", url=f"{url}&replicas=127.0.0.1:{replica.port}")
    return client.table("hs.user", COLUMNS)


def test_a_replica_that_refuses_its_login_is_passed_over(
    make_driver: Connect, server: PrivateServer, proxies: Proxies
) -> None:
    proxies[0].refuses = True
    table = behind_a_replica(make_driver(), server, proxies[0])
    assert table.get(key=[3]) == THREE
    assert proxies[0].connections > 0


def test_a_replica_that_is_late_is_a_timeout(
    make_driver: Connect, server: PrivateServer, proxies: Proxies
) -> None:
    table = behind_a_replica(make_driver(), server, proxies[0], timeout=0.5)
    assert table.get(key=[3]) == THREE
    proxies[0].held = True
    with pytest.raises(ClientError) as caught:
        table.get(key=[3])
    assert caught.value.name == "TimeoutError"


def test_a_timeout_ends_within_its_time(behind: Connect, proxies: Proxies) -> None:
    table = behind(timeout=0.3, retries=0).table("hs.user", COLUMNS)
    assert table.update(key=[3], values={"n": 30}) == 1
    proxies[1].held = True
    begun = time.monotonic()
    with pytest.raises(ClientError) as caught:
        table.update(key=[3], values={"n": 31})
    assert caught.value.name == "TimeoutError" and caught.value.members["sent"] is True
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(("seconds", "connections"), [(0, 1), (0.2, 2)])
def test_a_connection_that_is_not_used_is_kept_for_as_long_as_max_idle_says(
    behind: Connect, proxies: Proxies, seconds: float, connections: int
) -> None:
    table = behind(max_idle=seconds).table("hs.user", COLUMNS)
    assert table.get(key=[3]) == table.get(key=[3]) == THREE
    time.sleep(0.8)
    assert table.get(key=[3]) == THREE
    assert proxies[0].connections == connections


def test_a_hook_that_fails_changes_nothing(
    make_driver: Callable[..., Driver], proxies: Proxies
) -> None:
    read, write = proxies
    client = make_driver()
    client.call("connect", url=f"hs://127.0.0.1:{read.port}/hs?write_port={write.port}", hook=True)
    table = client.table("hs.user", COLUMNS)
    for _ in range(2):
        assert table.get(key=[3]) == THREE
        assert table.get_many(keys=[[3], [99]]) == [THREE, None]
        assert len(table.range(page=3)) == 10
        with pytest.raises(ClientError) as caught:
            table.insert(row=THREE)
        assert caught.value.name == "DuplicateKeyError"
        assert table.increment(key=[3], amounts={"n": 1}) == 1
        answers = client.pipeline(table.of("get", key=[3]), table.of("decrement", key=[3], amounts={"n": 1}))
        assert answers == [{**THREE, "n": 31}, 1]
        client.call("begin")
        assert table.increment(key=[3], amounts={"n": 1}) == 1
        client.call("rollback")
        client.call("begin")
        assert table.increment(key=[3], amounts={"n": 1}) == 1
        client.call("commit")
        assert table.decrement(key=[3], amounts={"n": 1}) == 1
    assert (read.connections, write.connections) == (1, 1)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost"])
def test_a_server_is_reached_by_each_form_of_its_address(
    make_driver: Callable[..., Driver], server: PrivateServer, host: str
) -> None:
    client = make_driver()
    client.call("connect", url=f"hs://{host}:{server.port}?write_port={server.port_wr}")
    assert client.table("hs.user", COLUMNS).get(key=[3]) == THREE
