"""The same for asyncio."""

import asyncio

import handlersocket2


async def main() -> None:
    """Reads with ten tasks at once."""
    async with handlersocket2.AsyncClient() as db:
        user = db.table("test.user", ["user_id", "user_name"])
        await user.upsert({"user_id": 101, "user_name": "Yukari Takeba"})
        rows = await asyncio.gather(*(user.get(101) for _ in range(10)))
        print(len([row for row in rows if row]), "rows")
        async with db.pipeline() as pipeline:
            inside = await pipeline.table(user)
            row, is_there = inside.get(101), inside.exists(101)
        print(row.value, is_there.value)
        print([row["user_id"] async for row in user.range(start=1, stop=200)])


asyncio.run(main())
