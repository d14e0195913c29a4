"""Column types: what a drawn column is, its DDL, and how a value of it is written in SQL."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from random import Random

Value = bytes | None


class Family(enum.Enum):
    """Types that are compared, drawn and dumped alike."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    BIT = "bit"
    TEMPORAL = "temporal"
    YEAR = "year"
    TEXT = "text"
    BYTES = "bytes"
    ENUM = "enum"
    SET = "set"
    NAMED = "named"  # UUID, INET4, INET6: bytes with a text form


@dataclass
class Column:
    """One column. `length` is in characters, bytes, bits or fraction digits, as the type has it."""

    name: str
    family: Family
    type: str
    length: int = 0
    charset: str = ""
    collation: str = ""
    blob: bool = False  # TEXT, BLOB or JSON: needs a prefix in an index, and no filters
    low: int = 0
    high: int = 0
    nullable: bool = True
    default: str = ""
    on_update: bool = False
    clock: bool = False  # holds the current time when nobody says otherwise
    generated: str = ""  # "(expression) STORED"
    auto_increment: bool = False
    invisible: bool = False
    check: str = ""
    attributes: str = ""
    row_time: str = ""  # "START" or "END" of a versioned row

    @property
    def quoted(self) -> str:
        """The name in SQL."""
        return f"`{self.name}`"

    @property
    def full_type(self) -> str:
        """The type with its character set."""
        if not self.charset:
            return self.type
        return f"{self.type} CHARACTER SET {self.charset} COLLATE {self.collation}"

    @property
    def writable(self) -> bool:
        """Whether a value may be given for it."""
        return not self.generated and not self.row_time

    def ddl(self) -> str:
        """The definition in CREATE TABLE."""
        if self.row_time:
            hidden = " INVISIBLE" if self.invisible else ""
            return f"{self.quoted} {self.type} GENERATED ALWAYS AS ROW {self.row_time}{hidden}"
        parts = [self.quoted, self.full_type]
        if self.generated:
            parts.append(f"AS {self.generated}")
        else:
            parts.append("NULL" if self.nullable else "NOT NULL")
            if self.auto_increment:
                parts.append("AUTO_INCREMENT")
            if self.default:
                parts.append(f"DEFAULT {self.default}")
            if self.on_update:
                parts.append(f"ON UPDATE CURRENT_TIMESTAMP({self.length})")
        if self.invisible:
            parts.append("INVISIBLE")
        if self.attributes:
            parts.append(self.attributes)
        if self.check:
            parts.append(f"CHECK ({self.check})")
        return " ".join(parts)

    def literal(self, value: Value) -> str:
        """The value as SQL text, the same bytes that the port gets."""
        if value is None:
            return "NULL"
        if self.family in (Family.BYTES, Family.BIT):
            return f"_binary X'{value.hex()}'"
        return quote(value)

    def dump(self) -> str:
        """An expression that shows every stored bit."""
        if self.family in (Family.TEXT, Family.BYTES):
            return f"HEX({self.quoted})"
        if self.family in (Family.ENUM, Family.SET, Family.BIT):
            return f"{self.quoted} + 0"
        if self.type.startswith("FLOAT"):
            return f"CAST({self.quoted} AS DOUBLE)"
        return self.quoted

    def same_as(self, dumped: bytes | None) -> str:
        """A condition that only the row with this dumped value meets (for key columns)."""
        if dumped is None:
            return f"{self.quoted} IS NULL"
        text = dumped.decode("latin1")
        if self.family is Family.TEXT:
            return f"{self.quoted} = _{self.charset} X'{text}' COLLATE {self.collation}"
        if self.family is Family.BYTES:
            return f"{self.quoted} = X'{text}'"
        if self.family in (Family.ENUM, Family.SET, Family.BIT):
            return f"{self.quoted} + 0 = {text}"
        if self.family in (Family.INTEGER, Family.DECIMAL):
            return f"{self.quoted} = {text}"
        return f"{self.quoted} = '{text}'"

    def compared(self, source: str = "") -> str:
        """The column as its index orders it; `source` is a prefix such as `t.`."""
        # YEAR: the server fails to compare 2155 with a subquery's 2155.
        number = " + 0" if self.family in (Family.ENUM, Family.SET, Family.YEAR) else ""
        return f"{source}{self.quoted}{number}"


def quote(value: bytes) -> str:
    """A string literal of the session's character set; bytes travel as surrogate escapes."""
    text = value.decode("utf8", "surrogateescape")
    for plain, escaped in (
        ("\\", "\\\\"),
        ("'", "\\'"),
        ("\0", "\\0"),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\x1a", "\\Z"),
    ):
        text = text.replace(plain, escaped)
    return f"'{text}'"


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
    kind = rng.choice(["FLOAT", "DOUBLE", "FLOAT UNSIGNED", "DOUBLE(10,3)", "FLOAT(7,2)"])
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
    # The server's own index order of CHAR in a NOPAD collation is not that of its comparisons
    # (the index has the padding).
    names = [n for n in _COLLATIONS[charset] if kind != "CHAR" or "nopad" not in n]
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
    members = ["'a'", "'B'", "'zä'", "'with space'", "'3'", "''"][: rng.choice([2, 4, 6])]
    return Column(
        name,
        Family.ENUM,
        f"ENUM({','.join(members)})",
        charset="utf8mb4",
        collation="utf8mb4_general_ci",
    )


def _set(name: str, rng: Random) -> Column:
    return Column(
        name,
        Family.SET,
        "SET('a','b','C','dé')",
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
