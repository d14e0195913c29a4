"""Users by their ids, by a client of Redis: the plugin's port for them has the row as it is now."""

import os

from redis import Redis

rows = Redis(port=int(os.environ["RESP_PORT"]), decode_responses=True)


def user(id):
    name, visits = rows.hmget(f"user:{id}", "name", "visits")
    return None if name is None else {"id": id, "name": name, "visits": int(visits)}


def visit(id):
    rows.hincrby(f"user:{id}", "visits", 1)
