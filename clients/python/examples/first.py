"""Adds a row to test.user, reads it, and counts."""

import handlersocket2

with handlersocket2.connect() as db:  # HS_URL says where
    user = db.table("test.user", ["user_id", "user_name"])
    user.upsert({"user_id": 101, "user_name": "Yukari Takeba"})
    print(user.get(101))
    print([row["user_id"] for row in user.range(start=1, stop=200)])
