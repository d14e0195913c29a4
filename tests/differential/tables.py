"""Tables: columns, indexes and features, combined to a CREATE TABLE that the server accepts."""

from __future__ import annotations

from random import Random

import column_types as types
from columns import Column, Family
import partitions
from features import Draft
from schema import Index, Part, Table

_NAMES = ["order", "größe", "a b", "C", "x"]
_KEY_FAMILIES = (
    Family.INTEGER,
    Family.DECIMAL,
    Family.TEMPORAL,
    Family.TEXT,
    Family.BYTES,
    Family.NAMED,
    Family.ENUM,
    Family.SET,
    Family.BIT,
    Family.YEAR,
)


def draw(rng: Random, raw: bool = False) -> Table:
    """A table; the server may still refuse its CREATE TABLE. `raw`: as Column.raw."""
    table = _Draft(rng).table()
    for column in table.columns:
        column.raw = raw
    return table


class _Draft(Draft):
    divided_by: Column | None = None

    def table(self) -> Table:
        self.draw_columns()
        self.draw_primary(self.chance(0.12 if self.inno else 0.3))
        partition = self.divided_by is not None
        self.draw_features()
        self.draw_indexes(partition)
        if self.divided_by is not None:
            self.draw_partitions(self.divided_by)
        elif self.inno and self.chance(0.25):
            self.draw_foreign_keys()
        # A hash index of a versioned table has the row's end, too: searches by `=` are refused there.
        if not partition and self.engine != "MEMORY" and self.chance(0.12):
            self.version()
        if not partition and not self.versioned and self.engine != "MEMORY" and self.chance(0.04):
            self.draw_period()
        if self.inno and not partition and self.chance(0.15):
            self.draw_triggers()
        self.stop_unique_clocks()
        for column in self.columns:
            if column.type.startswith("TIMESTAMP") and not column.nullable and not column.row_time:
                column.clock = True  # NULL is the current time
        body = [c.ddl() for c in self.columns] + [i.ddl() for i in self.indexes] + self.extra
        ddl = f"CREATE TABLE t ({', '.join(body)}) ENGINE={self.engine} {' '.join(self.options)} {self.partition}"
        divided = " partitions" if self.partition else ""
        self.features.append(f"{self.engine}{divided}")
        expires = self.draw_expiry() if self.inno and not self.partition and self.chance(0.15) else None
        return Table(
            self.columns,
            self.indexes,
            self.engine,
            ddl.strip(),
            self.before,
            self.after,
            self.related,
            self.versioned,
            any(c.row_time and c.family is Family.INTEGER for c in self.columns),
            bool(self.partition),
            self.features,
            expires,
        )

    def draw_columns(self) -> None:
        rng = self.rng
        for number in range(rng.randint(2, 8)):
            name = f"c{number}" if self.chance(0.9) else f"{rng.choice(_NAMES)}{number}"
            column = types.draw(name, rng)
            if self.engine == "MEMORY" and column.blob:
                column = types.integer(name, rng)
            if (
                self.engine == "Aria"
                and column.charset == "ucs2"
                and column.type.startswith("CHAR")
            ):
                column.type = "VAR" + column.type  # the server finds nothing by such a key itself
            self.columns.append(column)

    def draw_primary(self, partition: bool) -> None:
        rng = self.rng
        if self.chance(0.06):
            return
        usable = [
            c
            for c in self.columns
            if c.family in _KEY_FAMILIES and not c.blob and "COMPRESSED" not in c.type
        ]
        if not usable or self.chance(0.5):
            column = types.integer("id", rng, rng.choice(["INT", "BIGINT", "SMALLINT", "TINYINT"]))
            column.auto_increment = self.chance(0.35)
            self.columns.insert(rng.choice([0, 0, 0, len(self.columns)]), column)
            usable = [column]
        rng.shuffle(usable)
        parts = usable[: rng.choices([1, 2, 3], [70, 22, 8])[0]]
        for column in parts:
            column.nullable = False
        if partition and (choice := partitions.columns_for(parts)):
            self.divided_by = rng.choice(choice)
        keys = [Part(c, descending=self.chance(0.08)) for c in parts]
        self.indexes.append(Index("PRIMARY", keys, unique=True))

    def draw_indexes(self, partition: bool) -> None:
        rng = self.rng
        for number in range(rng.choice([0, 1, 1, 2, 3]) or (not self.indexes)):
            usable = [
                c
                for c in self.columns
                if "COMPRESSED" not in c.type
                and not (c.generated and c.blob)
                # Such an index is refused: the server itself merges its partitions wrongly.
                and not (partition and "VIRTUAL" in c.generated)
            ]
            rng.shuffle(usable)
            parts = [self.part(c) for c in usable[: rng.choices([1, 2, 3], [60, 30, 10])[0]]]
            if not parts:
                return
            unique = self.chance(0.3)
            if unique and self.divided_by:
                parts = [p for p in parts if p.column is not self.divided_by]
                parts.append(Part(self.divided_by))
            index = Index(f"k{number}", parts, unique)
            if unique and not partition and self.engine != "MEMORY" and self.chance(0.2):
                # Maybe a long UNIQUE.
                index.parts = [Part(p.column) for p in parts]
                index.searchable = not any(p.column.blob for p in parts)
            self.indexes.append(index)
        if self.engine == "MEMORY":
            for index in self.indexes:
                index.using = rng.choice(["", "HASH", "BTREE", "BTREE"])
                index.hashed = index.using != "BTREE"

    def stop_unique_clocks(self) -> None:
        """No unique index has times that columns take by themselves: two rows of one side may have
        the same one where those of the other side do not."""
        for column in (p.column for i in self.indexes if i.unique for p in i.parts):
            if column.clock:
                column.clock = column.on_update = column.invisible = False
                column.default = ""

    def part(self, column: Column) -> Part:
        is_text = column.family in (Family.TEXT, Family.BYTES) and not column.generated
        prefix = 0
        if column.blob:
            prefix = self.rng.choice([1, 3, 10])
        elif is_text and column.length > 3 and self.chance(0.2):
            prefix = 2
        return Part(column, prefix, self.chance(0.12))
