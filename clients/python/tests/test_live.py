"""On a real server: the examples, asyncio, and what the acceptance script does not see.

The server has the tables test.user (user_id, user_name) and test.account (id, money).
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import handlersocket2
from handlersocket2 import errors

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("example", sorted(one.name for one in ROOT.glob("examples/*.py")))
def test_examples_run(url: str, example: str) -> None:
    environment = {**os.environ, "HS_URL": url, "PYTHONPATH": str(ROOT / "src")}
    program = [sys.executable, str(ROOT / "examples" / example)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_first_row_of_the_readme(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(code.replace("hs://127.0.0.1:9998?write_port=9999", url), {})
    assert capsys.readouterr().out == "{'user_id': 101, 'user_name': 'Yukari Takeba'}\n"


def test_the_first_row_that_fails_a_while_filter_ends_the_search(url: str) -> None:
    with handlersocket2.connect(url) as db:
        user = db.table("user", ["user_id"])
        for number in range(1, 8):
            user.upsert({"user_id": number})
        filters = [("user_id", "!=", 2), ("user_id", "<", 4, "while")]
        assert [row["user_id"] for row in user.find(">=", 1, 9, filters=filters)] == [1, 3]
        assert user.count(">=", 1, filters=filters) == 2
        assert [row["user_id"] for row in user.range(1, filters=filters, page=1)] == [1, 3]
        with pytest.raises(errors.ValueError):
            user.find(">=", 1, filters=[("user_id", "<", 4, "until")])


def test_tasks_share_a_client_and_a_large_pipeline_is_answered(url: str) -> None:
    async def work() -> None:
        async with handlersocket2.AsyncClient(url, pool_size=4) as db:
            user = db.table("user", ["user_id", "user_name"])
            await user.upsert({"user_id": 3, "user_name": "x" * 40})
            rows = await asyncio.gather(*(user.get(3) for _ in range(100)))
            assert all(row == {"user_id": 3, "user_name": "x" * 40} for row in rows)
            assert await user.get_many([3] * 10_000) == rows[:1] * 10_000
            async with db.transaction() as transaction:
                assert await transaction.table(user).get(3) == rows[0]
            with pytest.raises(errors.NotFoundError):
                await db.table("nosuch", ["a"]).get(1)

    asyncio.run(work())


def test_a_task_that_is_cancelled_leaves_no_reply_to_another(url: str) -> None:
    async def work() -> None:
        async with handlersocket2.AsyncClient(url, pool_size=1) as db:
            user = db.table("user", ["user_id"])
            await user.upsert({"user_id": 3})
            await user.upsert({"user_id": 4})
            for _ in range(20):
                task = asyncio.ensure_future(user.get(3))
                await asyncio.sleep(0)
                task.cancel()
                assert await user.get(4) == {"user_id": 4}

    asyncio.run(work())


def test_many_tables_are_open_on_one_connection(url: str) -> None:
    with handlersocket2.connect(url, pool_size=1) as db:
        db.table("user", ["user_id"]).upsert({"user_id": 3})
        tables = [db.table("user", ["user_id"] * number) for number in range(1, 301)]
        for table in tables * 2:
            assert table.get(3) == {"user_id": 3}


def test_a_refused_index_harms_no_other_call(url: str) -> None:
    with handlersocket2.connect(url, pool_size=1) as db:
        user = db.table("user", ["user_id"])
        user.upsert({"user_id": 3})
        for number in range(5):
            with pytest.raises(errors.NotFoundError):
                db.table("user", [f"no_{number}"]).get(3)
            assert user.get(3) == {"user_id": 3}


def test_a_hook_is_told_of_requests_and_their_errors(url: str) -> None:
    told = []
    with handlersocket2.connect(url, on_request=lambda *about: told.append(about)) as db:
        user = db.table("user", ["user_id"], raw=True)
        user.get(3)
        with pytest.raises(errors.ServerError):
            user.find("=", [1, 2])
        with db.transaction() as transaction:
            transaction.table(user).get(3)
    assert [one[0] for one in told] == ["get", "find", "begin", "get", "end"]
    assert told[0][1] == "test.user" and told[0][2] > 0 and told[0][3] is None
    assert isinstance(told[1][3], errors.ServerError)


def test_a_block_that_fails_is_rolled_back(url: str) -> None:
    with handlersocket2.connect(url) as db:
        user = db.table("user", ["user_id", "user_name"])
        user.upsert({"user_id": 3, "user_name": "kept"})
        with pytest.raises(KeyError), db.transaction() as transaction:
            transaction.table(user).update(3, {"user_name": "lost"})
            raise KeyError
        assert user.get(3) == {"user_id": 3, "user_name": "kept"}
