"""Tasks that are cancelled, and event loops that end."""

from __future__ import annotations

import asyncio
import socket
import time
from typing import Any, Iterator, List, Optional

import pytest
from fake import Listener

import handlersocket2


def key(line: bytes, number: int) -> Optional[bytes]:
    """The row is its key."""
    return b"0\t1\t" + line.split(b"\t")[3] + b"\n" if line.startswith(b"0\t=") else None


@pytest.fixture
def server() -> Iterator[Listener]:
    made = Listener(key)
    yield made
    made.close()


def table(client: Any) -> Any:
    return client.table("t", ["a"], raw=True)


def test_tasks_that_are_cancelled_anywhere_take_no_place_and_no_reply(server: Listener) -> None:
    async def work(client: Any, number: int) -> None:
        assert await table(client).get(number) == {"a": b"%d" % number}
        async with client.transaction() as transaction:
            within = transaction.table(table(client))
            assert await within.get(-number) == {"a": b"%d" % -number}

    async def main() -> List[Any]:
        async with handlersocket2.AsyncClient(server.url, pool_size=2, retries=0) as client:
            found: List[Any] = []
            for steps in range(60):
                tasks = [asyncio.ensure_future(work(client, steps * 4 + one)) for one in range(4)]
                for _ in range(steps):
                    await asyncio.sleep(0)
                for task in tasks[:3]:
                    task.cancel()
                found += await asyncio.gather(*tasks, return_exceptions=True)
            for pool in (client.core.read, client.core.writer()):
                assert pool._places._free == 2
            return found

    for one in asyncio.run(main()):
        assert one is None or isinstance(one, asyncio.CancelledError), one


def test_a_task_that_is_cancelled_before_its_end_ends_cancelled(server: Listener) -> None:
    async def main() -> None:
        async with handlersocket2.AsyncClient(server.url, pool_size=1, retries=0) as client:
            for steps in range(40):
                one, other = (asyncio.ensure_future(table(client).get(at)) for at in (1, 2))
                for _ in range(steps):
                    await asyncio.sleep(0)
                late = one.done()
                one.cancel()
                await asyncio.wait({one, other})
                assert late or one.cancelled()
                assert other.result() == {"a": b"2"}

    asyncio.run(main())


def test_a_client_that_is_closed_says_so(server: Listener) -> None:
    client = handlersocket2.connect(server.url)
    one = table(client)
    assert one.get(1) == {"a": b"1"}
    client.close()
    for ask in (lambda: one.get(1), lambda: one.update(1, {"a": 1}), client.ping):
        with pytest.raises(handlersocket2.errors.ConnectionError, match="the client is closed"):
            ask()


def test_a_pipeline_of_tasks_and_a_table_by_its_name_in_a_transaction(server: Listener) -> None:
    async def main() -> None:
        async with handlersocket2.AsyncClient(server.url, retries=0) as client:
            async with client.pipeline() as pipeline:
                inside = await pipeline.table(table(client))
                results = [inside.get(1), *inside.get_many([2, 3])]
            assert [one.value for one in results] == [{"a": b"1"}, {"a": b"2"}, {"a": b"3"}]
            async with client.transaction() as transaction:
                named = transaction.table("t", ["a"], raw=True)
                assert await named.get(4) == {"a": b"4"}
                pipeline = transaction.pipeline()
                (await pipeline.table(named)).get(5)
                assert await pipeline.run() == [{"a": b"5"}]

    asyncio.run(main())


def test_an_idle_connection_on_which_something_came_is_replaced(server: Listener) -> None:
    async def main() -> None:
        async with handlersocket2.AsyncClient(server.url, retries=0) as client:
            for number in range(3):
                assert await table(client).get(number) == {"a": b"%d" % number}
                server.connections[-1].sendall(b"0\t1\tunasked\n")
                while not client.core.read._idle[0]._transport._reader._buffer:
                    await asyncio.sleep(0)
            server.connections[-1].shutdown(socket.SHUT_RDWR)
            assert await table(client).get(3) == {"a": b"3"}

    asyncio.run(main())
    assert len(server.connections) == 4


def test_a_client_goes_on_in_another_event_loop(server: Listener) -> None:
    client = handlersocket2.AsyncClient(server.url, pool_size=1, timeout=5, retries=0)

    async def main(number: int) -> None:
        rows = await asyncio.gather(*(table(client).get(number) for _ in range(3)))
        assert rows == [{"a": b"%d" % number}] * 3

    for number in range(3):
        asyncio.run(main(number))
    client.close()


def test_a_task_that_waits_for_a_place_gives_up_in_time(server: Listener) -> None:
    async def main() -> None:
        client = handlersocket2.AsyncClient(server.url, pool_size=1, timeout=0.1)
        async with client, client.transaction():
            begun = time.monotonic()
            with pytest.raises(handlersocket2.errors.TimeoutError):
                await table(client).update(1, {"a": 1})
            assert time.monotonic() - begun >= 0.1

    asyncio.run(main())
