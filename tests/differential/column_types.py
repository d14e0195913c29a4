"""Draws the types of columns."""

from __future__ import annotations

from random import Random

from server_files import SERVER_ROOT, is_mysql

from columns import Column, Family

_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 24, "INT": 32, "BIGINT": 64}
_COLLATIONS = {
    "utf8mb4": [
        "general_ci",
        "bin",
        "nopad_bin",
        "unicode_ci",
        "unicode_nopad_ci",
        "unicode_520_ci",
        "general_nopad_ci",
    ],
    "utf8mb3": ["general_ci", "bin", "unicode_ci"],
    "latin1": ["swedish_ci", "bin", "german2_ci", "nopad_bin", "swedish_nopad_ci"],
    "ascii": ["general_ci", "bin"],
    "ucs2": ["general_ci", "bin"],
}

if is_mysql(SERVER_ROOT):  # it pads, or not, by other collations
    _COLLATIONS |= {
        "utf8mb4": ["general_ci", "bin", "unicode_ci", "unicode_520_ci", "0900_ai_ci", "0900_as_cs", "0900_bin"],
        "latin1": ["swedish_ci", "bin", "german2_ci"],
    }


def integer(name: str, rng: Random, kind: str = "") -> Column:
    """An integer column of a drawn (or given) width."""
    kind = kind or rng.choice(list(_INTEGERS))
    bits = _INTEGERS[kind]
    unsigned = rng.random() < 0.4
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    suffix = ""
    if unsigned:
        suffix = "(7) UNSIGNED ZEROFILL" if rng.random() < 0.25 else " UNSIGNED"
    return Column(name, Family.INTEGER, kind + suffix, low=low, high=high)


def _decimal(name: str, rng: Random) -> Column:
    digits, scale = rng.choice([(5, 0), (6, 2), (10, 4), (30, 10), (65, 30), (9, 9)])
    suffix = rng.choice(["", "", " UNSIGNED", " ZEROFILL"])
    high = 10 ** (digits - scale) - 1
    return Column(
        name,
        Family.DECIMAL,
        f"DECIMAL({digits},{scale}){suffix}",
        length=scale,
        low=-high,
        high=high,
    )


def _float(name: str, rng: Random) -> Column:
    kind = rng.choice(
        ["FLOAT", "DOUBLE", "FLOAT UNSIGNED", "DOUBLE(10,3)", "DOUBLE(5,3)", "FLOAT(7,2)", "FLOAT(7,4)"]
    )  # fmt: skip
    return Column(name, Family.FLOAT, kind)


def temporal(name: str, rng: Random, kind: str = "") -> Column:
    """A DATE, TIME, DATETIME or TIMESTAMP column."""
    kind = kind or rng.choice(["DATE", "TIME", "DATETIME", "TIMESTAMP"])
    digits = rng.choice([0, 0, 1, 3, 6]) if kind != "DATE" else 0
    suffix = f"({digits})" if digits else ""
    return Column(name, Family.TEMPORAL, kind + suffix, length=digits)


def text(name: str, rng: Random, kinds: tuple[str, ...] = ("CHAR", "VARCHAR", "TEXT")) -> Column:
    """A character column of a drawn character set and collation."""
    charset = rng.choice(["utf8mb4", "utf8mb4", "utf8mb4", "latin1", "utf8mb3", "ascii", "ucs2"])
    kind = rng.choice(kinds)
    # Padded, `ss` differs from `ß`. CHAR has the padding in the index, but not in comparisons.
    names = [n for n in _COLLATIONS[charset] if kind != "CHAR" or n != "unicode_nopad_ci"]
    collation = f"{charset}_{rng.choice(names)}"
    column = Column(name, Family.TEXT, kind, charset=charset, collation=collation)
    if kind == "TEXT":
        column.type, column.length = rng.choice(
            [("TINYTEXT", 255), ("TEXT", 65535), ("MEDIUMTEXT", 70000), ("LONGTEXT", 70000)]
        )
        column.blob = True
    else:
        column.length = rng.choice([1, 3, 5, 10, 30, 60])
        column.type = f"{kind}({column.length})"
    if kind != "CHAR" and rng.random() < 0.1:
        column.type += " COMPRESSED"
    return column


def _bytes(name: str, rng: Random) -> Column:
    kind = rng.choice(["BINARY", "VARBINARY", "BLOB"])
    if kind == "BLOB":
        kind, length = rng.choice(
            [("TINYBLOB", 255), ("BLOB", 65535), ("MEDIUMBLOB", 70000), ("LONGBLOB", 70000)]
        )
        if rng.random() < 0.15:
            kind += " COMPRESSED"
        return Column(name, Family.BYTES, kind, length=length, blob=True)
    length = rng.choice([1, 3, 8, 20])
    return Column(name, Family.BYTES, f"{kind}({length})", length=length)


def _enum(name: str, rng: Random) -> Column:
    members = rng.choice(
        [
            ["'a'", "'B'", "'zä'", "'with space'", "'3'", "''"][: rng.choice([2, 4, 6])],
            ["'9'", "'a'", "'B'"],
            ["'3'", "'1'", "'2'", "'0'"],
        ]
    )
    charset = rng.choice(["utf8mb4", "utf8mb4", "latin1"])
    collation = {"utf8mb4": "utf8mb4_general_ci", "latin1": "latin1_swedish_ci"}[charset]
    return Column(name, Family.ENUM, f"ENUM({','.join(members)})", 0, charset, collation)


def _set(name: str, rng: Random) -> Column:
    return Column(
        name,
        Family.SET,
        rng.choice(["SET('a','b','C','dé')", "SET('2','a','1','b')"]),
        charset=rng.choice(["utf8mb4", "latin1"]),
        collation="",
    )


def _other(name: str, rng: Random) -> Column:
    kind = rng.choice(["UUID", "INET6", "INET4", "BIT", "BIT", "YEAR", "JSON"])
    if kind == "BIT":
        bits = rng.choice([1, 5, 8, 12, 33, 64])
        return Column(name, Family.BIT, f"BIT({bits})", length=bits)
    if kind == "YEAR":
        return Column(name, Family.YEAR, "YEAR")
    if kind == "JSON":
        return Column(name, Family.TEXT, "JSON", length=70000, blob=True)
    return Column(name, Family.NAMED, kind)


_MAKERS = [
    integer,
    integer,
    _decimal,
    _float,
    temporal,
    temporal,
    text,
    text,
    text,
    _bytes,
    _enum,
    _set,
    _other,
]


def draw(name: str, rng: Random) -> Column:
    """A column of any type, nullable and without features."""
    column = rng.choice(_MAKERS)(name, rng)
    if column.family is Family.SET:
        column.collation = f"{column.charset}_bin"
    if column.type == "JSON":
        column.charset, column.collation = "", ""
    return column
