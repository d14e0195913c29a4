"""Features of tables: defaults, generated columns, partitions, foreign keys, periods, versions."""

from __future__ import annotations

from random import Random

import column_types as types
import partitions
from columns import Column, Family
from schema import Index


class Draft:
    """A table in the making."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.engine = rng.choices(["InnoDB", "Aria", "MyISAM", "MEMORY"], [64, 12, 12, 12])[0]
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
        if self.engine == "Aria":
            self.options.append(f"TRANSACTIONAL={rng.randint(0, 1)}")

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def draw_expiry(self) -> Column | None:
        """A column by which rows may expire. No tables that remember a delete or what it takes along."""
        if self.versioned or self.related or self.after:
            return None
        usable = [
            c
            for c in self.columns
            if c.nullable
            and " " not in c.name
            and (c.family is Family.INTEGER or c.type.startswith(("DATETIME", "TIMESTAMP")))
        ]
        if not usable or not any(i.name == "PRIMARY" for i in self.indexes):
            return None
        self.features.append("expiry")
        return self.rng.choice(usable)

    def draw_features(self) -> None:
        rng = self.rng
        keyed = {p.column.name for i in self.indexes for p in i.parts}
        for column in self.columns:
            if column.auto_increment:
                continue
            if column.name not in keyed and self.chance(0.3):
                column.nullable = False
            if column.family is Family.TEMPORAL and column.type.startswith(
                ("DATETIME", "TIMESTAMP")
            ):
                if column.name not in keyed and self.chance(0.35):
                    column.default = (
                        f"CURRENT_TIMESTAMP({column.length})" if self.chance(0.7) else ""
                    )
                    column.on_update = self.chance(0.6) or not column.default
                    column.clock = True
            elif self.chance(0.35):
                column.default = self.default_of(column)
            if (
                self.chance(0.05)
                and (column.default or column.nullable)
                and column.name not in keyed
            ):
                column.invisible = True
        numbers = [c for c in self.columns if c.family is Family.INTEGER and not c.auto_increment]
        words = [
            c
            for c in self.columns
            if c.family is Family.TEXT and c.charset and "COMPRESSED" not in c.type
        ]
        if numbers and self.chance(0.12):
            column = rng.choice(numbers)
            column.check = rng.choice(
                [f"{column.quoted} < 100", f"{column.quoted} <> 7", f"{column.quoted} % 5 <> 3"]
            )
        if words and self.chance(0.08):
            column = rng.choice(words)
            self.extra.append(f"CONSTRAINT w CHECK ({column.quoted} <> 'abc')")
        if self.engine != "MEMORY" and self.chance(0.25):
            self.draw_generated(numbers, words)

    def default_of(self, column: Column) -> str:
        simple = {
            Family.INTEGER: ["7", "0", "(3 + 4)"],
            Family.DECIMAL: ["1", "0.5"],
            Family.FLOAT: ["1.5", "(2 * 2)"],
            Family.TEXT: ["'d'", "''", "(concat('x','y'))"],
            Family.BYTES: ["'d'", "x'00'"],
            Family.YEAR: ["2020"],
            Family.ENUM: ["'a'", "'B'"] if "'a'" in column.type else ["'1'"],
            Family.SET: ["'a'", "'a,b'", "''"],
            Family.BIT: ["b'1'", "1"],
        }
        choices = simple.get(column.family)
        if column.type == "JSON":
            return "'{}'"
        if column.type == "DATE":
            return self.rng.choice(["'2020-02-02'", "('2020-02-02' + INTERVAL 1 DAY)"])
        if choices is None or "DECIMAL(9,9)" in column.type or "CHAR(1)" in column.type:
            return ""
        others = [
            c
            for c in self.columns
            if c.family is column.family is Family.INTEGER and c is not column
        ]
        if others and self.chance(0.3) and not others[0].auto_increment:
            return f"({others[0].quoted} + 1)"
        return self.rng.choice(choices)

    def draw_generated(self, numbers: list[Column], words: list[Column]) -> None:
        kind = self.rng.choice(["STORED", "VIRTUAL", "VIRTUAL"])
        column = Column("g", Family.INTEGER, "BIGINT", low=-(2**63), high=2**63 - 1)
        if words and self.chance(0.5):
            source = self.rng.choice(words)
            expression = self.rng.choice(
                ["LEFT({0}, 2)", "CONCAT({0}, 'x')", "UPPER({0})", "LENGTH({0})"]
            )
            if not expression.startswith("LENGTH"):
                column = Column(
                    "g", Family.TEXT, "VARCHAR(80)", 80, source.charset, source.collation
                )
        elif numbers:
            source = self.rng.choice(numbers)
            expression = self.rng.choice(
                ["({0} + 1)", "({0} * 2)", "IF({0} > 5, NULL, {0})", "({0} DIV 3)"]
            )
        else:
            return
        if source.default.startswith("("):
            source.default = ""
        column.generated = f"({expression.format(source.quoted)}) {kind}"
        self.columns.append(column)
        self.features.append("generated")

    def draw_partitions(self, column: Column) -> None:
        self.partition = partitions.clause(column, self.rng)
        lists_values = " VALUES " in self.partition
        if lists_values and not any(w in self.partition for w in ("MAXVALUE", "DEFAULT")):
            # SQL offers the id that no partition takes for ever.
            for each in self.columns:
                each.auto_increment = False

    def draw_foreign_keys(self) -> None:
        rng = self.rng
        rules = rng.choice(
            [
                "",
                "ON DELETE CASCADE ON UPDATE CASCADE",
                "ON DELETE SET NULL",
                "ON UPDATE CASCADE",
                "ON DELETE CASCADE",
                "ON UPDATE SET NULL",
            ]
        )
        usable = [
            c
            for c in self.columns
            if c.family in (Family.INTEGER, Family.TEXT)
            and not c.blob
            and c.writable
            and "COMPRESSED" not in c.type
        ]
        keys = [
            i
            for i in self.indexes
            if len(i.parts) == 1
            and i.parts[0].column in usable
            and not i.parts[0].prefix
            and not i.parts[0].descending
        ]
        if self.chance(0.5) and usable:
            column = rng.choice(usable)
            values = (
                ["(1)", "(2)", "(3)", "(7)", "(50)"]
                if column.family is Family.INTEGER
                else ["('a')", "('b')", "('7')"]
            )
            self.before = [
                f"CREATE TABLE p (k {column.full_type} NOT NULL PRIMARY KEY)",
                f"INSERT INTO p VALUES {','.join(values)}",
            ]
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

    def draw_triggers(self) -> None:
        rng = self.rng
        seen = [
            c
            for c in self.columns
            if c.writable
            and not c.clock
            and c.family in (Family.INTEGER, Family.DECIMAL, Family.TEXT, Family.ENUM)
        ]
        numbers = [c for c in seen if c.family is Family.INTEGER and not c.auto_increment]
        self.after = [*self.after, "CREATE TABLE lo (w TEXT)"]
        self.related.append("lo")
        self.features.append("triggers")
        for event in ("INSERT", "UPDATE", "DELETE"):
            for when in ("BEFORE", "AFTER"):
                if self.chance(0.4):
                    continue
                row = "OLD" if event == "DELETE" else rng.choice(["NEW", "NEW", "OLD"][: 2 + (event == "UPDATE")])
                body = []
                if numbers and when == "BEFORE" and event != "DELETE" and self.chance(0.6):
                    name = f"NEW.{rng.choice(numbers).quoted}"
                    body.append(
                        f"SET {name} = "
                        + rng.choice([f"IFNULL({name}, 5)", f"{name} + 1", f"IF({name} > 40, NULL, {name})"])
                    )
                if numbers and self.chance(0.2):
                    number = f"{row}.{rng.choice(numbers).quoted}"
                    body.append(f"IF {number} = 3 THEN SIGNAL SQLSTATE '45000'; END IF")
                shown = ", ".join(f"LEFT(HEX({row}.{c.quoted}), 90)" for c in seen[:3]) or "'none'"
                body.append(f"INSERT INTO lo VALUES (CONCAT_WS(' ', '{when} {event}', {shown}))")
                self.after.append(
                    f"CREATE TRIGGER {when}_{event} {when} {event} ON t FOR EACH ROW"
                    f" BEGIN {'; '.join(body)}; END"
                )

    def version(self) -> None:
        self.versioned = True
        self.options.append("WITH SYSTEM VERSIONING")
        self.features.append("versioned")
        if self.chance(0.3):
            hidden = self.chance(0.5)
            by_id = self.engine == "InnoDB" and self.chance(0.2)
            family, type_ = (
                (Family.INTEGER, "BIGINT UNSIGNED") if by_id else (Family.TEMPORAL, "TIMESTAMP(6)")
            )
            for name, edge in (("rs", "START"), ("re", "END")):
                self.columns.append(Column(name, family, type_, 6, row_time=edge, invisible=hidden))
            self.extra.append("PERIOD FOR SYSTEM_TIME (rs, re)")
        for column in self.columns:
            keyed = any(p.column is column for i in self.indexes for p in i.parts)
            if (
                column.writable
                and not column.generated
                and not column.auto_increment
                and not keyed
                and self.chance(0.1)
            ):
                column.attributes = "WITHOUT SYSTEM VERSIONING"
