"""Tables: columns, indexes and features put together to a CREATE TABLE that the server takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import columns as types
from columns import Column, Family


@dataclass
class Part:
    """One column of an index; `prefix` characters of it, 0 for all."""

    column: Column
    prefix: int = 0
    descending: bool = False


@dataclass
class Index:
    """A key. `exact_order`: its rows come in an order that SQL can name (ties by primary key)."""

    name: str
    parts: list[Part]
    unique: bool = False
    hashed: bool = False
    searchable: bool = True

    def ddl(self) -> str:
        """The definition in CREATE TABLE."""
        inner = ", ".join(
            p.column.quoted + (f"({p.prefix})" if p.prefix else "") + (" DESC" if p.descending else "") for p in self.parts
        )
        if self.name == "PRIMARY":
            return f"PRIMARY KEY ({inner})"
        kind = "UNIQUE KEY" if self.unique else "KEY"
        return f"{kind} `{self.name}` ({inner})"


@dataclass
class Table:
    """A drawn table and the tables around it, which are made in each of the two databases."""

    columns: list[Column]
    indexes: list[Index]
    engine: str
    ddl: str
    before: list[str] = field(default_factory=list)  # parents
    after: list[str] = field(default_factory=list)  # children
    related: list[str] = field(default_factory=list)  # names of both
    versioned: bool = False
    partitioned: bool = False
    features: list[str] = field(default_factory=list)

    @property
    def primary(self) -> Index | None:
        """The primary key."""
        return next((i for i in self.indexes if i.name == "PRIMARY"), None)

    @property
    def exact_order(self) -> bool:
        """Whether rows with equal keys come in the order of the primary key."""
        return self.engine == "InnoDB" and not self.partitioned and self.primary is not None


_NAMES = ["order", "größe", "a b", "C", "x"]
_KEY_FAMILIES = (Family.INTEGER, Family.DECIMAL, Family.TEMPORAL, Family.TEXT, Family.BYTES, Family.NAMED, Family.ENUM)


def draw(rng: Random) -> Table:
    """A table; the server may still refuse its CREATE TABLE."""
    return _Draft(rng).table()


class _Draft:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.engine = rng.choices(["InnoDB", "Aria", "MyISAM", "MEMORY"], [80, 8, 7, 5])[0]
        self.columns: list[Column] = []
        self.indexes: list[Index] = []
        self.options: list[str] = []
        self.extra: list[str] = []
        self.features: list[str] = []
        self.before: list[str] = []
        self.after: list[str] = []
        self.related: list[str] = []
        self.versioned = False
        self.partition = ""
        self.inno = self.engine == "InnoDB"

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def table(self) -> Table:
        self.draw_columns()
        partition = self.inno and self.chance(0.1)
        self.draw_primary(partition)
        self.draw_features()
        self.draw_indexes(partition)
        if partition and self.indexes and self.indexes[0].name == "PRIMARY":
            self.draw_partitions()
        elif self.inno and self.chance(0.25):
            self.draw_foreign_keys()
        # A hash index of a versioned table has the row's end, too: searches by `=` are refused there.
        if not partition and self.engine != "MEMORY" and self.chance(0.12):
            self.version()
        if not partition and not self.versioned and self.engine != "MEMORY" and self.chance(0.04):
            self.draw_period()
        for column in self.columns:
            if column.type.startswith("TIMESTAMP") and not column.nullable and not column.row_time:
                column.clock = True  # NULL is the current time
        body = [c.ddl() for c in self.columns] + [i.ddl() for i in self.indexes] + self.extra
        ddl = f"CREATE TABLE t ({', '.join(body)}) ENGINE={self.engine} {' '.join(self.options)} {self.partition}"
        return Table(
            self.columns, self.indexes, self.engine, ddl.strip(), self.before, self.after, self.related,
            self.versioned, bool(self.partition), self.features,
        )

    def draw_columns(self) -> None:
        rng = self.rng
        for number in range(rng.randint(2, 8)):
            name = f"c{number}" if self.chance(0.9) else f"{rng.choice(_NAMES)}{number}"
            column = types.draw(name, rng)
            if self.engine == "MEMORY" and column.blob:
                column = types.integer(name, rng)
            self.columns.append(column)

    def draw_primary(self, partition: bool) -> None:
        rng = self.rng
        if self.chance(0.06):
            return
        usable = [c for c in self.columns if c.family in _KEY_FAMILIES and not c.blob and "COMPRESSED" not in c.type]
        if not usable or self.chance(0.5) or partition:
            column = types.integer("id", rng, rng.choice(["INT", "BIGINT", "SMALLINT", "TINYINT"]))
            column.auto_increment = not partition and self.chance(0.35)
            self.columns.insert(rng.choice([0, 0, 0, len(self.columns)]), column)
            usable = [column]
        rng.shuffle(usable)
        parts = usable[: rng.choices([1, 2, 3], [70, 22, 8])[0]]
        for column in parts:
            column.nullable = False
        descending = self.inno
        self.indexes.append(
            Index("PRIMARY", [Part(c, descending=descending and self.chance(0.08)) for c in parts], unique=True)
        )

    def draw_features(self) -> None:
        rng = self.rng
        keyed = {p.column.name for i in self.indexes for p in i.parts}
        for column in self.columns:
            if column.auto_increment:
                continue
            if column.name not in keyed and self.chance(0.3):
                column.nullable = False
            if column.family is Family.TEMPORAL and column.type.startswith(("DATETIME", "TIMESTAMP")):
                if column.name not in keyed and self.chance(0.35):
                    column.default = f"CURRENT_TIMESTAMP({column.length})" if self.chance(0.7) else ""
                    column.on_update = self.chance(0.6) or not column.default
                    column.clock = True
            elif self.chance(0.35):
                column.default = self.default_of(column)
            if self.chance(0.05) and (column.default or column.nullable) and column.name not in keyed:
                column.invisible = True
        numbers = [c for c in self.columns if c.family is Family.INTEGER and not c.auto_increment]
        words = [c for c in self.columns if c.family is Family.TEXT and c.charset and "COMPRESSED" not in c.type]
        if numbers and self.chance(0.12):
            column = rng.choice(numbers)
            column.check = rng.choice([f"{column.quoted} < 100", f"{column.quoted} <> 7", f"{column.quoted} % 5 <> 3"])
        if words and self.chance(0.08):
            column = rng.choice(words)
            self.extra.append(f"CONSTRAINT w CHECK ({column.quoted} <> 'abc')")
        if self.engine != "MEMORY" and self.chance(0.25):
            self.draw_generated(numbers, words)

    def default_of(self, column: Column) -> str:
        simple = {
            Family.INTEGER: ["7", "0", "(3 + 4)"], Family.DECIMAL: ["1", "0.5"], Family.FLOAT: ["1.5", "(2 * 2)"],
            Family.TEXT: ["'d'", "''", "(concat('x','y'))"], Family.BYTES: ["'d'", "x'00'"], Family.YEAR: ["2020"],
            Family.ENUM: ["'a'", "'B'"], Family.SET: ["'a'", "'a,b'", "''"], Family.BIT: ["b'1'", "1"],
        }
        choices = simple.get(column.family)
        if column.type == "JSON":
            return "'{}'"
        if column.type == "DATE":
            return self.rng.choice(["'2020-02-02'", "('2020-02-02' + INTERVAL 1 DAY)"])
        if choices is None or "DECIMAL(9,9)" in column.type or "CHAR(1)" in column.type:
            return ""
        others = [c for c in self.columns if c.family is column.family is Family.INTEGER and c is not column]
        if others and self.chance(0.3) and not others[0].auto_increment:
            return f"({others[0].quoted} + 1)"
        return self.rng.choice(choices)

    def draw_generated(self, numbers: list[Column], words: list[Column]) -> None:
        kind = self.rng.choice(["STORED", "VIRTUAL", "VIRTUAL"])
        column = Column("g", Family.INTEGER, "BIGINT", low=-(2**63), high=2**63 - 1)
        if words and self.chance(0.5):
            source = self.rng.choice(words)
            expression = self.rng.choice(["LEFT({0}, 2)", "CONCAT({0}, 'x')", "UPPER({0})", "LENGTH({0})"])
            if not expression.startswith("LENGTH"):
                column = Column("g", Family.TEXT, "VARCHAR(80)", 80, source.charset, source.collation)
        elif numbers:
            source = self.rng.choice(numbers)
            expression = self.rng.choice(["({0} + 1)", "({0} * 2)", "IF({0} > 5, NULL, {0})", "({0} DIV 3)"])
        else:
            return
        if source.default.startswith("("):
            source.default = ""
        column.generated = f"({expression.format(source.quoted)}) {kind}"
        self.columns.append(column)
        self.features.append("generated")

    def draw_indexes(self, partition: bool) -> None:
        rng = self.rng
        for number in range(rng.choice([0, 1, 1, 2, 3]) or (not self.indexes)):
            usable = [c for c in self.columns if "COMPRESSED" not in c.type and not (c.generated and c.blob)]
            rng.shuffle(usable)
            parts = [self.part(c) for c in usable[: rng.choices([1, 2, 3], [60, 30, 10])[0]]]
            if not parts:
                return
            unique = not partition and self.chance(0.3)
            index = Index(f"k{number}", parts, unique)
            if self.engine == "MEMORY":
                index.hashed = True
            if unique and self.engine != "MEMORY" and self.chance(0.2):  # maybe a long UNIQUE
                index.parts = [Part(p.column) for p in parts]
                index.searchable = not any(p.column.blob for p in parts)
            self.indexes.append(index)
        if self.engine == "MEMORY":
            for index in self.indexes:
                index.hashed = True
                for part in index.parts:
                    part.prefix, part.descending = 0, False

    def part(self, column: Column) -> Part:
        is_text = column.family in (Family.TEXT, Family.BYTES) and not column.generated
        prefix = 0
        if column.blob:
            prefix = self.rng.choice([1, 3, 10])
        elif is_text and column.length > 3 and self.chance(0.2):
            prefix = 2
        return Part(column, prefix, self.engine == "InnoDB" and self.chance(0.12))

    def draw_partitions(self) -> None:
        column = self.indexes[0].parts[0].column
        if column.family is not Family.INTEGER:
            return
        name = column.quoted
        self.partition = self.rng.choice([
            f"PARTITION BY HASH ({name}) PARTITIONS 3",
            f"PARTITION BY KEY ({name}) PARTITIONS 4",
            f"PARTITION BY RANGE ({name}) (PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN (60))",
            f"PARTITION BY RANGE ({name}) (PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN MAXVALUE)",
            f"PARTITION BY LIST ({name}) (PARTITION p0 VALUES IN (0,1,2,3,5), PARTITION p1 VALUES IN (7,10,20,50,100))",
        ])
        self.features.append("partitions")

    def draw_foreign_keys(self) -> None:
        rng = self.rng
        rules = rng.choice(["", "ON DELETE CASCADE ON UPDATE CASCADE", "ON DELETE SET NULL", "ON UPDATE CASCADE", "ON DELETE CASCADE", "ON UPDATE SET NULL"])
        usable = [c for c in self.columns if c.family in (Family.INTEGER, Family.TEXT) and not c.blob and c.writable and "COMPRESSED" not in c.type]
        keys = [i for i in self.indexes if len(i.parts) == 1 and i.parts[0].column in usable and not i.parts[0].prefix and not i.parts[0].descending]
        if self.chance(0.5) and usable:
            column = rng.choice(usable)
            values = ["(1)", "(2)", "(3)", "(7)", "(50)"] if column.family is Family.INTEGER else ["('a')", "('b')", "('7')"]
            self.before = [f"CREATE TABLE p (k {column.full_type} NOT NULL PRIMARY KEY)", f"INSERT INTO p VALUES {','.join(values)}"]
            self.extra.append(f"FOREIGN KEY ({column.quoted}) REFERENCES p (k) {rules}")
            self.related.append("p")
            self.features.append("child")
        elif keys:
            column = rng.choice(keys).parts[0].column
            self.after = [
                f"CREATE TABLE ch (i INT AUTO_INCREMENT PRIMARY KEY, f {column.full_type} NULL,"
                f" FOREIGN KEY (f) REFERENCES t ({column.quoted}) {rules})"
            ]
            self.related.append("ch")
            self.features.append("parent")

    def draw_period(self) -> None:
        number = types.integer("n", self.rng, "TINYINT")
        for name in ("ds", "de"):
            column = types.temporal(name, self.rng, "DATE")
            column.nullable = False
            self.columns.append(column)
        self.columns.append(number)
        self.extra += ["PERIOD FOR app (ds, de)", "UNIQUE KEY wo (n, app WITHOUT OVERLAPS)"]
        self.features.append("period")

    def version(self) -> None:
        self.versioned = True
        self.options.append("WITH SYSTEM VERSIONING")
        self.features.append("versioned")
        if self.chance(0.3):
            hidden = self.chance(0.5)
            for name, edge in (("rs", "START"), ("re", "END")):
                self.columns.append(Column(name, Family.TEMPORAL, "TIMESTAMP(6)", 6, row_time=edge, invisible=hidden))
            self.extra.append("PERIOD FOR SYSTEM_TIME (rs, re)")
        for column in self.columns:
            keyed = any(p.column is column for i in self.indexes for p in i.parts)
            if column.writable and not column.generated and not column.auto_increment and not keyed and self.chance(0.1):
                column.attributes = "WITHOUT SYSTEM VERSIONING"
