"""Statements on the wild tables: all that SQL can do to a table while others use it."""

from __future__ import annotations

import random
from collections.abc import Callable

from wild_tables import CHILDREN, DEFINITIONS, IS_MYSQL, MUST, PARENTS, drop_child, fill, in_turn, restore

Statements = list[str]
Draw = Callable[[random.Random, str], Statements]


ENGINES = ["InnoDB", "InnoDB", "MyISAM", "Aria", "Aria TRANSACTIONAL=0", "MEMORY"]
ACTIONS = ["CASCADE", "SET NULL", "RESTRICT", "NO ACTION"]
PARTITIONS = [
    "RANGE (id) (PARTITION p0 VALUES LESS THAN (6), PARTITION p1 VALUES LESS THAN (1000))",
    "LIST (id) (PARTITION p0 VALUES IN (1, 2, 3, 5, 8), PARTITION p1 VALUES IN (4, 6, 7, 9, 10, 11, 12))",
    "HASH (id) PARTITIONS 2",
    "KEY (id) PARTITIONS 3",
]


def pause(rng: random.Random, longest_s: float = 0.1) -> str:
    """A pause, in which clients meet what the statement before it has made."""
    return f"DO SLEEP({rng.random() * longest_s:.3f})"


def _one(*statements: str) -> Draw:
    return lambda rng, t: [rng.choice(statements).format(t=t)]


def _there_and_back(*pairs: tuple[str, str]) -> Draw:
    def draw(rng: random.Random, t: str) -> Statements:
        there, back = rng.choice(pairs)
        return [there.format(t=t), pause(rng), back.format(t=t)]

    return draw


def _engine(rng: random.Random, t: str) -> Statements:
    return in_turn(f"ALTER TABLE {t} ENGINE={rng.choice(ENGINES)}")


def _partitions(rng: random.Random, t: str) -> Statements:
    drawn = rng.choice(
        [
            f"PARTITION BY {rng.choice(PARTITIONS)}",
            "REMOVE PARTITIONING",
            "DROP PARTITION p1",
            "TRUNCATE PARTITION p0",
            "COALESCE PARTITION 1",
            "ADD PARTITION PARTITIONS 1",
            "ADD PARTITION (PARTITION p9 VALUES LESS THAN (5000))",
            "ADD PARTITION (PARTITION p9 VALUES IN (13, 20, 30))",
            "REORGANIZE PARTITION p0 INTO (PARTITION s0 VALUES LESS THAN (3), PARTITION s1 VALUES LESS THAN (5))",
            "REBUILD PARTITION ALL",
            "OPTIMIZE PARTITION p0",
            "CONVERT PARTITION p1 TO TABLE {t}_away",
        ]
    )
    return [f"ALTER TABLE {t} {drawn.format(t=t)}", pause(rng), fill(t)]


def _exchange(rng: random.Random, t: str) -> Statements:
    return [
        f"DROP TABLE IF EXISTS {t}_away",
        f"CREATE TABLE {t}_away LIKE {t}",
        f"ALTER TABLE {t}_away REMOVE PARTITIONING",
        f"ALTER TABLE {t} EXCHANGE PARTITION p0 WITH TABLE {t}_away",
        pause(rng),
        f"ALTER TABLE {t} EXCHANGE PARTITION p0 WITH TABLE {t}_away",
        f"DROP TABLE {t}_away",
    ]


def _swap(rng: random.Random, t: str) -> Statements:
    return [
        f"DROP TABLE IF EXISTS {t}_away",
        f"CREATE TABLE {t}_away LIKE {rng.choice([t, t, rng.choice(list(DEFINITIONS))])}",
        fill(f"{t}_away"),
        f"RENAME TABLE {t} TO swapping, {t}_away TO {t}, swapping TO {t}_away",
        pause(rng),
        f"DROP TABLE {t}_away",
    ]


def _away(rng: random.Random, t: str) -> Statements:
    return [f"RENAME TABLE {t} TO {t}_away", pause(rng), f"RENAME TABLE {t}_away TO {t}"]


def _view(rng: random.Random, t: str) -> Statements:
    return [
        f"RENAME TABLE {t} TO {t}_away",
        f"CREATE VIEW {t} AS SELECT * FROM {t}_away",
        pause(rng),
        f"DROP VIEW {t}",
        f"RENAME TABLE {t}_away TO {t}",
    ]


def _empty(rng: random.Random, t: str) -> Statements:
    return [f"TRUNCATE TABLE {t}", pause(rng), fill(t)]


def _trigger(rng: random.Random, t: str) -> Statements:
    when = rng.choice(["BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE"])  # fmt: skip
    return [
        f"CREATE OR REPLACE TRIGGER {t}_x {when} ON {t} FOR EACH ROW INSERT INTO noted (w) VALUES ('x')",
        pause(rng),
        f"UPDATE {t} SET w = w + 1 WHERE id = {rng.randrange(14)}",
        f"DROP TRIGGER IF EXISTS {t}_x",
    ]


def _expiry(rng: random.Random, t: str) -> Statements:
    """Nearly all rows have expired, and are purged if there is an index. Some columns do not exist."""
    column = rng.choice(["v", "v", "w", "id", "g", "x1"])
    return [f"ALTER TABLE {t} COMMENT 'hs: ttl={column}'", pause(rng, 0.5), f"ALTER TABLE {t} COMMENT ''", fill(t)]


def _newborn(rng: random.Random, t: str) -> Statements:
    """A child of a parent that clients have open."""
    column = rng.choice(["id", "id", "v"])
    name = f"newborn_{t}"
    generated = rng.choice(["", "g INT AS (v * 2) VIRTUAL,", "g INT AS (v * 2) STORED,"])
    return [
        *in_turn(
            MUST + f"CREATE TABLE {name} (id INT PRIMARY KEY, v INT, w INT, {generated} KEY v (v),"
            f" FOREIGN KEY (v) REFERENCES {t} ({column})"
            f" ON DELETE {rng.choice(ACTIONS)} ON UPDATE {rng.choice(ACTIONS)})"
        ),
        f"INSERT INTO {name} (id, v, w) SELECT id, {column}, id FROM {t}",
        pause(rng, 0.5),
        *drop_child(name, [t]),
    ]


def _foreign_key(rng: random.Random, t: str) -> Statements:
    t, parent = rng.choice(CHILDREN), rng.choice(PARENTS)
    return [
        f"DELETE FROM {t} WHERE v NOT IN (SELECT id FROM {parent})",
        *in_turn(
            f"ALTER TABLE {t} ADD CONSTRAINT {t}_f FOREIGN KEY (v) REFERENCES {parent} (id)"
            f" ON DELETE {rng.choice(ACTIONS)} ON UPDATE {rng.choice(ACTIONS)}"
        ),
        pause(rng, 0.5),
        f"ALTER TABLE {t} DROP FOREIGN KEY {t}_f",
    ]


def _locked(rng: random.Random, t: str) -> Statements:
    other = rng.choice(list(DEFINITIONS))
    return [f"LOCK TABLES {t} WRITE, {other} READ", pause(rng), "UNLOCK TABLES"]


def _export(rng: random.Random, t: str) -> Statements:
    return [f"FLUSH TABLES {t} FOR EXPORT", pause(rng), "UNLOCK TABLES"]


def _global_lock(rng: random.Random, t: str) -> Statements:
    del t
    return rng.choice(
        [
            ["FLUSH TABLES WITH READ LOCK", pause(rng), "UNLOCK TABLES"],
            ["BACKUP STAGE START", "BACKUP STAGE FLUSH", "BACKUP STAGE BLOCK_DDL", pause(rng), "BACKUP STAGE BLOCK_COMMIT", pause(rng), "BACKUP STAGE END"],
            ["FLUSH TABLES"],
        ]
    )  # fmt: skip


def _backup_lock(rng: random.Random, t: str) -> Statements:
    return [f"BACKUP LOCK {t}", pause(rng), "BACKUP UNLOCK"]


def _dml(rng: random.Random, t: str) -> Statements:
    key = rng.randrange(14)
    return [
        "BEGIN",
        rng.choice([
            f"SELECT * FROM {t} FOR UPDATE",
            f"SELECT * FROM {t} WHERE id = {key} FOR UPDATE",
            f"SELECT * FROM {t} WHERE v > {key} LOCK IN SHARE MODE",
            f"UPDATE {t} SET v = v + 1 WHERE id > {key}",
            f"DELETE FROM {t} WHERE id = {key}",
            f"INSERT INTO {t} (id, v, w) VALUES ({key}, {key % 5}, {key})",
            f"REPLACE INTO {t} (id, v, w) VALUES ({key}, {key % 5}, {key})",
        ]),
        pause(rng, 0.5),
        rng.choice(["COMMIT", "ROLLBACK"]),
    ]  # fmt: skip


DRAWS: list[tuple[int, Draw]] = [
    (6, _one("ALTER TABLE {t} ADD COLUMN x1 INT", "ALTER TABLE {t} ADD COLUMN x2 INT DEFAULT 5 FIRST", "ALTER TABLE {t} ADD COLUMN x2 VARCHAR(20) NOT NULL DEFAULT 'x' AFTER id", "ALTER TABLE {t} ADD COLUMN x1 INT AS (w + 1) VIRTUAL, ADD KEY k_x (x1)", "ALTER TABLE {t} ADD COLUMN x1 INT AS (v + 1) STORED")),
    (4, _one("ALTER TABLE {t} DROP COLUMN x1", "ALTER TABLE {t} DROP COLUMN x2", "ALTER TABLE {t} DROP COLUMN IF EXISTS x1, DROP COLUMN IF EXISTS x2")),
    (5, _there_and_back(("ALTER TABLE {t} RENAME COLUMN v TO v2", "ALTER TABLE {t} RENAME COLUMN v2 TO v"), ("ALTER TABLE {t} DROP COLUMN w", "ALTER TABLE {t} ADD COLUMN w INT"), ("ALTER TABLE {t} DROP COLUMN v", "ALTER TABLE {t} ADD COLUMN v INT, ADD KEY v (v)"), ("ALTER TABLE {t} MODIFY v BIGINT FIRST", "ALTER TABLE {t} MODIFY v INT AFTER id"), ("ALTER TABLE {t} MODIFY w VARCHAR(60)", "ALTER TABLE {t} MODIFY w INT"), ("ALTER TABLE {t} MODIFY v INT NOT NULL DEFAULT 3", "ALTER TABLE {t} MODIFY v INT"))),
    (4, _there_and_back(("ALTER TABLE {t} ADD KEY k_x (w)", "ALTER TABLE {t} DROP KEY k_x"), ("ALTER TABLE {t} DROP KEY v", "ALTER TABLE {t} ADD KEY v (v)"), ("ALTER TABLE {t} ADD UNIQUE KEY k_x (v, id, w)", "DROP INDEX k_x ON {t}"), ("ALTER TABLE {t} DROP PRIMARY KEY", "ALTER TABLE {t} ADD PRIMARY KEY (id)"), ("ALTER TABLE {t} ALTER INDEX v IGNORED", "ALTER TABLE {t} ALTER INDEX v NOT IGNORED"), ("ALTER TABLE {t} RENAME INDEX v TO k_x", "ALTER TABLE {t} RENAME INDEX k_x TO v"))),
    (4, _one("ALTER TABLE {t} FORCE", "ALTER TABLE {t} FORCE, ALGORITHM=COPY", "ALTER TABLE {t} FORCE, ALGORITHM=INPLACE", "OPTIMIZE TABLE {t}", "ANALYZE TABLE {t} PERSISTENT FOR ALL", "CHECK TABLE {t} EXTENDED", "REPAIR TABLE {t}", "FLUSH TABLES {t}", "ALTER TABLE {t} ROW_FORMAT=DYNAMIC", "ALTER TABLE {t} ROW_FORMAT=COMPACT", "ALTER TABLE {t} CONVERT TO CHARACTER SET latin1", "ALTER TABLE {t} AUTO_INCREMENT=20", "ALTER TABLE {t} DISABLE KEYS", "ALTER TABLE {t} ENABLE KEYS")),
    (2, _there_and_back(("ALTER TABLE {t} ADD CONSTRAINT x_c CHECK (v < 100)", "ALTER TABLE {t} DROP CONSTRAINT x_c"), ("ALTER TABLE {t} ADD SYSTEM VERSIONING", "ALTER TABLE {t} DROP SYSTEM VERSIONING"), ("ALTER TABLE {t} ALTER v SET DEFAULT 4", "ALTER TABLE {t} ALTER v DROP DEFAULT"), ("ALTER TABLE {t} DROP CONSTRAINT both_small", "ALTER TABLE {t} ADD CONSTRAINT both_small CHECK (v + w < 5000)"))),
    (3, _engine), (4, _partitions), (2, _exchange), (3, _swap), (3, _away), (2, _view), (3, _empty),
    (3, _trigger), (3, _expiry), (2, _foreign_key), (3, _locked), (2, _export), (1, _global_lock),
    (2, _backup_lock), (8, _dml), (8, lambda rng, t: restore(t)), (8, lambda rng, t: [fill(t)]),
    (2, _one("CREATE OR REPLACE TABLE {t}_away AS SELECT * FROM {t}")),
]  # fmt: skip


def _instance_lock(rng: random.Random, t: str) -> Statements:
    del t
    return ["LOCK INSTANCE FOR BACKUP", pause(rng), "UNLOCK INSTANCE"]


if IS_MYSQL:
    DRAWS += [
        (4, _one("ALTER TABLE {t} ADD COLUMN x1 INT, ALGORITHM=INSTANT", "ALTER TABLE {t} ADD COLUMN x2 INT DEFAULT 5 FIRST, ALGORITHM=INSTANT", "ALTER TABLE {t} DROP COLUMN x1, ALGORITHM=INSTANT", "ALTER TABLE {t} DROP COLUMN x2, ALGORITHM=INSTANT")),
        (4, _there_and_back(("ALTER TABLE {t} ALTER INDEX v INVISIBLE", "ALTER TABLE {t} ALTER INDEX v VISIBLE"), ("ALTER TABLE {t} ALTER COLUMN w SET INVISIBLE", "ALTER TABLE {t} ALTER COLUMN w SET VISIBLE"), ("ALTER TABLE {t} ALTER CHECK both_small NOT ENFORCED", "ALTER TABLE {t} ALTER CHECK both_small ENFORCED"))),
        (3, _there_and_back(("ALTER TABLE {t} ADD KEY k_x ((v + 1))", "ALTER TABLE {t} DROP KEY k_x"), ("ALTER TABLE {t} ADD COLUMN x1 JSON AS (JSON_ARRAY(v, id)), ADD KEY k_x ((CAST(x1 AS UNSIGNED ARRAY)))", "ALTER TABLE {t} DROP KEY k_x, DROP COLUMN x1"), ("ALTER TABLE {t} ADD KEY k_x (w DESC, v)", "ALTER TABLE {t} DROP KEY k_x"))),
        (2, _one("ANALYZE TABLE {t} UPDATE HISTOGRAM ON v, w", "ANALYZE TABLE {t} DROP HISTOGRAM ON v", "ALTER TABLE {t} COMPRESSION='zlib'", "ALTER TABLE {t} COMPRESSION='none'")),
        (2, _instance_lock),
    ]  # fmt: skip


def draw(rng: random.Random) -> Statements:
    """Statements that follow each other on one connection."""
    if rng.random() < 0.12:
        parent = rng.choice(PARENTS)
        return _newborn(rng, parent) if rng.random() < 0.8 else drop_child(f"newborn_{parent}", [parent])
    chosen = rng.choices([d for _, d in DRAWS], [weight for weight, _ in DRAWS])[0]
    return chosen(rng, rng.choice(list(DEFINITIONS)))
