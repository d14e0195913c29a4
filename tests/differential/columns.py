"""Column types: what a drawn column is, its DDL, and how a value of it is written in SQL."""

from __future__ import annotations

import enum
from dataclasses import dataclass

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
    clock: bool = False  # holds the current time unless a value is given
    generated: str = ""  # "(expression) STORED"
    auto_increment: bool = False
    invisible: bool = False
    check: str = ""
    attributes: str = ""
    row_time: str = ""  # "START" or "END" of a versioned row
    raw: bool = False  # text travels as the column's own bytes (handlersocket_character_set=binary)

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

    @property
    def pads(self) -> bool:
        """Whether spaces at the end do not count in its collation."""
        return "nopad" not in self.collation and "_0900_" not in self.collation

    @property
    def no_control_characters(self) -> bool:
        """The server's index order and its comparisons differ on them (the index has the padding)."""
        return self.type.startswith("CHAR(") and not self.pads

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
        if self.family in (Family.BYTES, Family.BIT) or self.travels_raw:
            return f"_binary X'{value.hex()}'"
        return quote(value)

    @property
    def travels_raw(self) -> bool:
        """Whether its bytes on the wire are those of its own character set."""
        return self.raw and self.family in (Family.TEXT, Family.ENUM, Family.SET)

    @property
    def codec(self) -> str:
        """Its character set in Python."""
        return {"latin1": "cp1252", "ascii": "ascii", "ucs2": "utf-16-be"}.get(self.charset, "utf8")

    def decodes(self, value: bytes) -> bool:
        """Whether raw bytes are text of its character set."""
        try:
            text = value.decode(self.codec)
        except UnicodeDecodeError:
            return False
        return self.charset not in ("utf8mb3", "ucs2") or all(ord(c) < 0x10000 for c in text)

    def without_spaces(self, value: bytes) -> bytes:
        """The value without spaces at its end."""
        space = " ".encode(self.codec) if self.travels_raw else b" "
        while value.endswith(space) and (len(value) - len(space)) % len(space) == 0:
            value = value[: -len(space)]
        return value

    def shown(self, source: str = "") -> str:
        """The column as a reply gives it."""
        name = f"{source}{self.quoted}"
        return f"CAST({name} AS BINARY)" if self.travels_raw else name

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
