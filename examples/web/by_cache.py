"""Users by their ids, from Redis, and from SQL where Redis does not have them: cache-aside."""

import json
import os

import pymysql
from redis import Redis

from sql import connection

SECONDS = 60
cache = Redis(port=int(os.environ["REDIS_PORT"]))


def user(id):
    known = cache.get(f"user:{id}")
    if known is not None:
        return json.loads(known)
    with connection().cursor(pymysql.cursors.DictCursor) as cursor:
        cursor.execute("SELECT id, name, visits FROM shop.user WHERE id = %s", (id,))
        found = cursor.fetchone()
    cache.set(f"user:{id}", json.dumps(found), ex=SECONDS)
    return found


def visit(id):
    with connection().cursor() as cursor:
        cursor.execute("UPDATE shop.user SET visits = visits + 1 WHERE id = %s", (id,))
    cache.delete(f"user:{id}")  # each place that changes a user must do this
