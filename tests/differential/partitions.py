"""Partitions of a drawn table: every kind that the server has, over a column of the primary key."""

from __future__ import annotations

from random import Random

from columns import Column, Family

_SUBPARTITIONS = ["", "", "SUBPARTITION BY HASH ({0}) SUBPARTITIONS 2", "SUBPARTITION BY KEY ({0}) SUBPARTITIONS 2"]  # fmt: skip


def columns_for(columns: list[Column]) -> list[Column]:
    """Columns that a table may be partitioned by; integers are twice as likely."""
    numbers = [c for c in columns if c.family is Family.INTEGER]
    others = [
        c
        for c in columns
        if c.family in (Family.TEXT, Family.BYTES)
        and not c.blob
        or c.type in ("DATE", "DATETIME")
    ]
    return numbers * 2 + others


def clause(column: Column, rng: Random) -> str:
    """`PARTITION BY …`; some leave values without a partition."""
    name = column.quoted
    if rng.random() < 0.2:
        return f"PARTITION BY KEY ({name}) PARTITIONS {rng.choice([1, 4])}"
    if column.family is Family.INTEGER:
        return _of_number(name, rng)
    return _of_values(column, rng)


def _ranges(bounds: list[str]) -> str:
    return ", ".join(f"PARTITION p{i} VALUES LESS THAN {b}" for i, b in enumerate(bounds))


def _of_number(name: str, rng: Random) -> str:
    linear = rng.choice(["", "LINEAR "])
    bounds = rng.choice([["(5)", "(60)"], ["(5)", "MAXVALUE"], ["(0)", "(2)", "(20)", "(100)", "MAXVALUE"]])  # fmt: skip
    below = rng.choice(_SUBPARTITIONS).format(name)
    rest = rng.choice(["", ", PARTITION p2 DEFAULT"])
    return rng.choice(
        [
            f"PARTITION BY {linear}HASH ({name}) PARTITIONS 3",
            f"PARTITION BY RANGE ({name}) {below} ({_ranges(bounds)})",
            f"PARTITION BY RANGE ({name}) {below} ({_ranges(bounds)})",
            f"PARTITION BY LIST ({name}) {below} (PARTITION p0 VALUES IN (0,1,2,3,5),"
            f" PARTITION p1 VALUES IN (7,10,20,50,100){rest})",
        ]
    )


def _of_values(column: Column, rng: Random) -> str:
    bounds = ["('2000-01-01')", "('2020-01-01')"] if column.family is Family.TEMPORAL else ["('a')", "('b')"]  # fmt: skip
    if rng.random() < 0.7:
        return f"PARTITION BY RANGE COLUMNS ({column.quoted}) ({_ranges([*bounds, '(MAXVALUE)'])})"
    return (
        f"PARTITION BY LIST COLUMNS ({column.quoted}) (PARTITION p0 VALUES IN {bounds[0]},"
        f" PARTITION p1 VALUES IN {bounds[1]}, PARTITION p2 DEFAULT)"
    )
