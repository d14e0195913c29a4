"""A pipeline, and a transaction that moves money, in a table that `./run` does not make:

CREATE TABLE test.account (id INT PRIMARY KEY, money INT NOT NULL)
"""

import handlersocket2

with handlersocket2.connect() as db:
    account = db.table("test.account", ["id", "money"])
    account.upsert({"id": 1, "money": 100})
    account.upsert({"id": 2, "money": 50})

    with db.transaction() as transaction:
        inside = transaction.table(account)
        inside.decrement(1, {"money": 30})
        inside.increment(2, {"money": 30})

    with db.pipeline() as pipeline:
        inside = pipeline.table(account)
        first, second = inside.get(1), inside.get(2)
    print(first.value, second.value)
