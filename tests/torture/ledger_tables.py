"""The tables of which every row is accounted for, and DDL that leaves their rows as they are."""

from __future__ import annotations

import random

from wild_tables import IS_MYSQL

DATABASE = "kept"

_COLUMNS = "grp INT NOT NULL, id INT NOT NULL, n BIGINT NOT NULL, u BIGINT NOT NULL, t VARCHAR(100)"
_KEYS = "PRIMARY KEY (grp, id), KEY gu (grp, u)"
_BTREES = "PRIMARY KEY USING BTREE (grp, id), KEY gu USING BTREE (grp, u)"
_RANGES = "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (4), PARTITION p1 VALUES LESS THAN (9), PARTITION p2 VALUES LESS THAN MAXVALUE)"

# By name: what stands between the parentheses of CREATE TABLE, and behind them.
TABLES: dict[str, tuple[str, str]] = {
    "inno": (f"{_COLUMNS}, {_KEYS}", ""),
    "inno_gen": (
        f"{_COLUMNS}, g BIGINT AS (n * 2) VIRTUAL, s VARCHAR(110) AS (CONCAT(t, '!')) STORED,"
        f" {_KEYS}, KEY g (g), KEY s (s), CHECK (u >= 0)",
        "" if IS_MYSQL else "WITH SYSTEM VERSIONING",
    ),
    "inno_range": (f"{_COLUMNS}, {_KEYS}", _RANGES),
    "inno_key": (f"{_COLUMNS}, {_KEYS}", "PARTITION BY KEY (grp) PARTITIONS 3"),
    "inno_parent": (f"{_COLUMNS}, {_KEYS}", ""),  # and below its children
    "aria": (f"{_COLUMNS}, {_KEYS}", "ENGINE=Aria"),
    "aria_plain": (f"{_COLUMNS}, {_KEYS}", "ENGINE=Aria TRANSACTIONAL=0"),
    "aria_range": (f"{_COLUMNS}, {_KEYS}", f"ENGINE=Aria {_RANGES}"),
    "isam": (f"{_COLUMNS}, {_KEYS}", "ENGINE=MyISAM"),
    "isam_range": (f"{_COLUMNS}, {_KEYS}", f"ENGINE=MyISAM {_RANGES}"),
    "isam_key": (f"{_COLUMNS}, {_KEYS}", "ENGINE=MyISAM PARTITION BY KEY (id) PARTITIONS 3"),
    "mem_btree": (f"{_COLUMNS}, {_BTREES}", "ENGINE=MEMORY"),
    "mem_range": (f"{_COLUMNS}, {_BTREES}", f"ENGINE=MEMORY {_RANGES}"),
    "mem_hash": (f"{_COLUMNS}, PRIMARY KEY (grp, id), KEY gu USING BTREE (grp, u)", "ENGINE=MEMORY"),
}
_PAIR = "grp INT, id INT, g INT AS (grp * 2) VIRTUAL, KEY g (g)"
_PARENT = "FOREIGN KEY (grp, id) REFERENCES inno_parent (grp, id)"
CHILDREN = {
    "child_cascading": f"{_PAIR}, PRIMARY KEY (grp, id), {_PARENT} ON DELETE CASCADE ON UPDATE CASCADE",
    "child_nulled": f"n INT AUTO_INCREMENT PRIMARY KEY, {_PAIR}, {_PARENT} ON DELETE SET NULL",
}
# AUTO_INCREMENT: the reply to an insert is the row's id.
SERIALS = {"serial": "InnoDB", "serial_aria": "Aria", "serial_isam": "MyISAM", "serial_mem": "MEMORY"}
# Rows that all clients count.
COUNTERS = {"counters": "InnoDB", "counters_aria": "Aria", "counters_isam": "MyISAM"}
COUNTED = 3
if IS_MYSQL:
    TABLES = {
        name: made
        for name, made in TABLES.items()
        if "Aria" not in made[1] and (name.startswith("inno") or "PARTITION" not in made[1])
    }
    SERIALS, COUNTERS = (
        {name: engine for name, engine in engines.items() if engine != "Aria"} for engines in (SERIALS, COUNTERS)
    )
TRANSACTIONAL = {"inno", "inno_gen", "inno_range", "inno_key", "counters", "serial"}


def statements() -> list[str]:
    """What makes them."""
    made = [f"CREATE OR REPLACE DATABASE {DATABASE} CHARACTER SET utf8mb4", f"USE {DATABASE}"]
    made += [f"CREATE TABLE {name} ({body}) {tail}" for name, (body, tail) in TABLES.items()]
    made += [f"CREATE TABLE {name} ({body})" for name, body in CHILDREN.items()]
    for name, engine in SERIALS.items():
        made.append(
            f"CREATE TABLE {name} (id BIGINT AUTO_INCREMENT PRIMARY KEY, tag BIGINT NOT NULL,"
            f" KEY tag (tag)) ENGINE={engine}"
        )
    for name, engine in COUNTERS.items():
        made.append(f"CREATE TABLE {name} (id INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE={engine}")
        made.append(f"INSERT INTO {name} SELECT seq, 0 FROM seq_1_to_{COUNTED}")
    return made


# Statements that all tables take, and those for some only. {p} is a pause.
_ALL = [
    ["ALTER TABLE {t} FORCE"],
    ["ALTER TABLE {t} FORCE, ALGORITHM=COPY"],
    ["OPTIMIZE TABLE {t}"],
    ["ANALYZE TABLE {t}"],
    ["CHECK TABLE {t}"],
    ["FLUSH TABLES {t}"],
    ["FLUSH TABLES {t} WITH READ LOCK", "{p}", "UNLOCK TABLES"],
    ["LOCK TABLES {t} WRITE", "{p}", "UNLOCK TABLES"],
    ["LOCK TABLES {t} READ", "{p}", "UNLOCK TABLES"],
    ["BACKUP LOCK {t}", "{p}", "BACKUP UNLOCK"],
    ["ALTER TABLE {t} ADD COLUMN IF NOT EXISTS x INT DEFAULT 3", "{p}", "ALTER TABLE {t} DROP COLUMN IF EXISTS x"],
    ["ALTER TABLE {t} ADD COLUMN IF NOT EXISTS x INT DEFAULT 3 FIRST", "{p}", "ALTER TABLE {t} DROP COLUMN IF EXISTS x"],
    ["RENAME TABLE {t} TO {t}_away", "{p}", "RENAME TABLE {t}_away TO {t}"],
    ["CREATE TRIGGER {t}_x BEFORE UPDATE ON {t} FOR EACH ROW SET NEW.id = NEW.id", "{p}", "DROP TRIGGER IF EXISTS {t}_x"],
    ["BEGIN", "SELECT * FROM {t} FOR UPDATE", "{p}", "COMMIT"],
]  # fmt: skip
_KEYED = [
    ["ALTER TABLE {t} ADD KEY IF NOT EXISTS k_x (n)", "{p}", "ALTER TABLE {t} DROP KEY IF EXISTS k_x"],
    ["ALTER TABLE {t} MODIFY t VARCHAR(200) AFTER id", "{p}", "ALTER TABLE {t} MODIFY t VARCHAR(100) AFTER u"],
    ["ALTER TABLE {t} ADD CONSTRAINT x_c CHECK (id >= 0)", "{p}", "ALTER TABLE {t} DROP CONSTRAINT IF EXISTS x_c"],
]  # fmt: skip
_PLAIN_INNODB = [
    ["ALTER TABLE {t} ADD KEY IF NOT EXISTS k_x (n), ALGORITHM=INPLACE", "ALTER TABLE {t} DROP KEY IF EXISTS k_x"],
    ["ALTER TABLE {t} PARTITION BY KEY (id) PARTITIONS 2", "{p}", "ALTER TABLE {t} REMOVE PARTITIONING"],
    ["ALTER TABLE {t} ENGINE=Aria", "{p}", "ALTER TABLE {t} ENGINE=InnoDB"],
    ["ALTER TABLE {t} ENGINE=MyISAM", "{p}", "ALTER TABLE {t} ENGINE=InnoDB"],
    ["ALTER TABLE {t} ADD SYSTEM VERSIONING", "{p}", "ALTER TABLE {t} DROP SYSTEM VERSIONING"],
    ["FLUSH TABLES {t} FOR EXPORT", "{p}", "UNLOCK TABLES"],
    ["CREATE OR REPLACE TABLE {t}_child (grp INT, id INT, g INT AS (grp * 2) VIRTUAL, KEY g (g), FOREIGN KEY (grp, id) REFERENCES {t} (grp, id) ON DELETE CASCADE ON UPDATE CASCADE)", "INSERT INTO {t}_child (grp, id) SELECT grp, id FROM {t}", "{p}", "DROP TABLE {t}_child"],
]  # fmt: skip
_RANGED = [
    ["ALTER TABLE {t} REORGANIZE PARTITION p0, p1 INTO (PARTITION p01 VALUES LESS THAN (9))", "{p}", "ALTER TABLE {t} REORGANIZE PARTITION p01 INTO (PARTITION p0 VALUES LESS THAN (4), PARTITION p1 VALUES LESS THAN (9))"],
    ["ALTER TABLE {t} REBUILD PARTITION ALL"],
    ["ALTER TABLE {t} REMOVE PARTITIONING", "{p}", "ALTER TABLE {t} " + _RANGES],
]  # fmt: skip
_ADOPT = [
    [f"INSERT IGNORE INTO {child} (grp, id) SELECT grp, id FROM {{t}}", "{p}"] for child in CHILDREN
]
# Holds the lock on the counter meanwhile. No client uses tags below 0.
_SERIAL = [
    ["INSERT INTO {t} (tag) SELECT -1 - SLEEP(0.01) FROM seq_1_to_9"],
    ["BEGIN", "INSERT INTO {t} (tag) SELECT -1 - SLEEP(0.01) FROM seq_1_to_9", "{p}", "ROLLBACK"],
]
_AFTER_KILLS = "RENAME TABLE IF EXISTS {t}_away TO {t}"


def draw(rng: random.Random, wait: str) -> list[str]:
    """Statements that leave the rows of the ledger as they are."""
    name = rng.choice([*TABLES, *SERIALS, *COUNTERS, "inno_parent"])
    choices = list(_ALL)
    if name in TABLES:
        choices += _KEYED
    if name == "inno_parent":
        choices = [c for c in choices if "_away" not in str(c)] + _ADOPT * 4
    if name in SERIALS:
        choices += _SERIAL * 4
    if name == "inno":
        choices += _PLAIN_INNODB * 2
    if name.endswith("_range"):
        choices += _RANGED * 2
    drawn = [*rng.choice(choices), _AFTER_KILLS]
    return [statement.format(t=name, p=wait) for statement in drawn]
