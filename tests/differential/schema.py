"""What a drawn table is: its columns, indexes and the tables around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from columns import Column


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
    using: str = ""  # "HASH" or "BTREE", where an engine has both
    searchable: bool = True

    def ddl(self) -> str:
        """The definition in CREATE TABLE."""
        inner = ", ".join(
            p.column.quoted
            + (f"({p.prefix})" if p.prefix else "")
            + (" DESC" if p.descending else "")
            for p in self.parts
        )
        using = f" USING {self.using}" if self.using else ""
        if self.name == "PRIMARY":
            return f"PRIMARY KEY{using} ({inner})"
        kind = "UNIQUE KEY" if self.unique else "KEY"
        return f"{kind} `{self.name}`{using} ({inner})"


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
    by_transaction: bool = False  # versioned, with transaction ids
    partitioned: bool = False
    features: list[str] = field(default_factory=list)
    expires: Column | None = None  # by which the rows of the port's table do

    @property
    def raw(self) -> bool:
        """Whether text travels as the columns' own bytes."""
        return any(c.raw for c in self.columns)

    @property
    def primary(self) -> Index | None:
        """The primary key."""
        return next((i for i in self.indexes if i.name == "PRIMARY"), None)

    @property
    def exact_order(self) -> bool:
        """Whether rows with equal keys come in the order of the primary key."""
        return self.engine == "InnoDB" and not self.partitioned and self.primary is not None
