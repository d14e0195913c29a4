"""A client that is made before a fork, and used behind it."""

from __future__ import annotations

import os
import traceback
from typing import Any, Callable, Iterator, Optional

import pytest
from fake import Listener

import handlersocket2
from handlersocket2 import errors


def number_of_connection(line: bytes, number: int) -> Optional[bytes]:
    return b"0\t1\t%d\n" % number if line.startswith(b"0\t") else None


@pytest.fixture
def client() -> Iterator[handlersocket2.Client]:
    server = Listener(number_of_connection)
    with handlersocket2.connect(server.url, pool_size=1, timeout=5, retries=0) as made:
        yield made
    server.close()


def table(client: Any) -> Any:
    return client.table("t", ["a"], raw=True)


def in_child(work: Callable[[], None]) -> None:
    """Does it in a process that was forked, in which it must not fail."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_each_process_has_connections_of_its_own(client: handlersocket2.Client) -> None:
    def child() -> None:
        for _ in range(2):
            assert table(client).get(1) == {"a": b"2"}

    assert table(client).get(1) == {"a": b"1"}
    in_child(child)
    assert table(client).get(1) == {"a": b"1"}


def test_no_lock_is_held_behind_a_fork(client: handlersocket2.Client) -> None:
    core = client.inner.core
    client.ping()
    with core.read._lock, core._gtids._lock:
        in_child(lambda: (client.ping(), client.last_gtid(), None)[-1])


def test_places_that_the_parent_has_taken_are_free(client: handlersocket2.Client) -> None:
    with client.transaction():
        in_child(lambda: None if table(client).update(1, {"a": 1}) else None)


def test_a_transaction_belongs_to_the_process_that_began_it(client: handlersocket2.Client) -> None:
    def child() -> None:
        with pytest.raises(errors.ConnectionError) as caught:
            within.get(1)
        assert not caught.value.sent
        transaction.rollback()

    with client.transaction() as transaction:
        within = transaction.table(table(client))
        assert within.get(1) == {"a": b"1"}
        in_child(child)
        assert within.get(1) == {"a": b"1"}
