"""Requests: mostly valid ones on the tables, and what damage makes of them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fuzz_tables import KEPT, WRITTEN, Table

FILTER_OPERATORS = [b"=", b">", b">=", b"<", b"<=", b"!="]
OPERATORS = [*FILTER_OPERATORS[:-1], b"=<"]
MODIFIERS = [b"U", b"D", b"+", b"-", b"U?", b"D?", b"+?", b"-?", b"U!", b"+!", b"-!"]
INSERTS = [b"+", b"+", b"+!", *(b"+" + form + returns for form in (b"I", b"U", b"R") for returns in (b"", b"?", b"!"))]
NULL = b"\0"
BEGINS = [b"T\tB", b"T\tB", b"T\tB\tRC", b"T\tB\tRR", b"T\tB\tSR", b"T\tB\tRU", b"T\tB\tRR\tRO"]
STEPS = [b"T\tS\ta", b"T\tS\tb", b"T\tU\ta", b"T\tU\tB", b"T\tC", b"T\tR", b"T\tB"]

VALUES = [
    NULL, b"", b"0", b"1", b"2", b"3", b"-1", b"5", b"10", b"99", b"127", b"128", b"255", b"256",
    b"2147483647", b"-2147483648", b"4294967295", b"9223372036854775807", b"-9223372036854775808",
    b"18446744073709551615", b"1.5", b"-0.001", b"1e10", b"1e308", b"1e400", b"nan", b" 7", b"007",
    b"2020-01-01", b"0000-00-00", b"2020-02-30", b"2020-01-01 00:00:00.5", b"838:59:59", b"-1:00",
    b"2038-01-19 03:14:07", b"24", b"a", b"B", b"b", b"a,c", b"c d", b"a ", b"x" * 6, b"x" * 300,
    "ä".encode(), "€".encode(), "😀".encode(), b"\xff\xfe", b"\xc3", b"\x01@", b"\x01A\x01I\x01J",
    b"\x80\x00", b"{}", b'{"a":', b"[1,2]", b"::1", b"::ffff:1.2.3.4", b"text",
    b"123e4567-e89b-12d3-a456-426655440000", b"some words", b"POINT(1 1)", b"v", b"one",
]  # fmt: skip
PLAIN_VALUES = [b"%d" % number for number in range(13)] + [b"a", b"b", b"2020-01-01"]
TOKENS = [
    b"P", b"A", b"S", b"Q", b"/", b"+", b"@", b"&", b"C", b"+I", b"+U", b"+R", b"+U!", b"F", b"W", b"U", b"D?", b"D", b"I", b"G", b"L", b"T", b"RO", b"0-1-1", b"=", b">=", b"<", b"0",
    b"1", b"2", b"3", b"64", b"65", b"1000", b"1048577", b"4294967295", b"4294967296", b"-1", b"",
    NULL, b"\x01", b"\x01P", b"\r", b"PRIMARY", b"mysql", b"user", b"information_schema", b"tables",
    b"performance_schema", b"threads", b"../hs", b"hs/orderly", b"#sql", b"counted", b"viewed", b"%",
    "ü".encode(), b"id,id,id", b"id,", b",", b"*", b"id" * 200,
]  # fmt: skip


@dataclass
class Opened:
    """What an index id means."""

    table: Table
    key_parts: int
    columns: list[str]
    filters: int  # columns for filters
    writes: bool  # on the write port


class Generator:
    """Draws what one connection sends. The same seed and tables give the same bytes."""

    def __init__(self, seed: str, tables: list[Table]) -> None:
        self.random = random.Random(seed)
        self._tables = tables

    def stream(self, writes: bool) -> bytes:
        """Some requests, most of them for the same tables."""
        rng = self.random
        lines: list[bytes] = []
        opened: list[Opened] = []
        for id_ in range(rng.randint(1, 4)):
            lines.append(self._open(id_, writes, opened))
        for _ in range(rng.choice((1, 3, 10, 40))):
            id_ = rng.randrange(len(opened))
            lines.append(self._request(id_, opened[id_]))
            if rng.random() < 0.05:
                lines.append(self._open(id_, writes, opened))
            if rng.random() < 0.02:
                lines.append(self._describe(writes))
            if rng.random() < 0.02:
                gtid, most_ms = rng.choice((b"0-1-1", b"0-1-99999999,7-7-7", b"")), rng.choice((b"0", b"3"))
                lines.append(rng.choice((b"G\tL", b"G\tW\t" + gtid + b"\t" + most_ms)))
            if rng.random() < 0.04:
                lines.append(rng.choice((rng.choice(BEGINS), rng.choice(STEPS))))
        if rng.random() < 0.6:
            lines = [self._damaged(line) if rng.random() < 0.3 else line for line in lines]
        data = b"".join(line + (b"\r\n" if rng.random() < 0.05 else b"\n") for line in lines)
        if rng.random() < 0.2:
            data = self._damaged_bytes(data)
        if writes and KEPT.encode() in data:
            return b""
        return data

    def _open(self, id_: int, writes: bool, opened: list[Opened]) -> bytes:
        rng = self.random
        table = rng.choice(self._tables)
        if not table.indexes and rng.random() < 0.9:
            table = rng.choice(self._tables)
        database = WRITTEN if writes or rng.random() < 0.5 else KEPT
        index = rng.choice(list(table.indexes) or ["PRIMARY"])
        columns = list(table.columns)
        if rng.random() < 0.4:
            columns = rng.choices(columns, k=rng.randint(1, len(columns)))
        else:
            rng.shuffle(columns)
        filters = rng.sample(table.columns, rng.randint(0, len(table.columns)))
        meaning = Opened(table, table.indexes.get(index, 1), columns, len(filters), writes)
        opened[id_ : id_ + 1] = [meaning]
        tokens = ["P", str(id_), database, table.name, index, ",".join(columns), ",".join(filters)]
        return "\t".join(tokens).encode()

    def _describe(self, writes: bool) -> bytes:
        rng = self.random
        names = [WRITTEN if writes else rng.choice((WRITTEN, KEPT)), rng.choice(self._tables).name, "I"]
        return "\t".join(["D", *names[: rng.randint(0, 3)]]).encode()

    def _request(self, id_: int, opened: Opened) -> bytes:
        rng = self.random
        tokens = [b"%d" % id_]
        changes = opened.writes or rng.random() < 0.05
        if changes and rng.random() < 0.3:
            count = len(opened.columns)
            if rng.random() < 0.2:
                count = rng.randint(1, count)
            form = rng.choice(INSERTS)
            tokens += [form, b"%d" % count, *self._values(count)]
            if form.startswith(b"+U") and rng.random() < 0.5:
                count = rng.randint(0, count)
                tokens += [b"%d" % count, *(self._values(count) if count else ())]
            return b"\t".join(tokens)
        count = rng.randint(1, opened.key_parts)
        tokens += [rng.choice(OPERATORS), b"%d" % count, *self._values(count)]
        if rng.random() < 0.1:
            return b"\t".join(tokens)
        tokens += [rng.choice((b"1", b"1", b"3", b"1000")), rng.choice((b"0", b"0", b"1"))]
        if rng.random() < 0.15:
            listed = rng.randint(1, 5)
            tokens += [rng.choice((b"@", b"&")), b"%d" % rng.randrange(count), b"%d" % listed, *self._values(listed)]
        while rng.random() < 0.2:
            column = rng.randrange(opened.filters + (rng.random() < 0.1) or 1)
            tokens += [rng.choice((b"F", b"W")), rng.choice(FILTER_OPERATORS), b"%d" % column]
            tokens += self._values(1)
        if changes and rng.random() < 0.6:
            tokens += [rng.choice(MODIFIERS), *self._values(len(opened.columns))]
        elif rng.random() < 0.2:
            tokens.append(b"C")
        return b"\t".join(tokens)

    def _values(self, count: int) -> list[bytes]:
        rng = self.random
        if rng.random() < 0.6:
            values = [rng.choice(PLAIN_VALUES) for _ in range(count)]
        else:
            values = rng.choices(VALUES, k=count)
        if rng.random() < 0.02:
            values[0] = rng.choice((b"x", b"\xc3\xa4", b"\x01@")) * rng.choice((1000, 70000))
        if rng.random() < 0.1:
            values[-1] = b"%d" % rng.randint(-10, 200)
        return values

    def _damaged(self, line: bytes) -> bytes:
        """The line with tokens lost, doubled, replaced, or moved."""
        rng = self.random
        tokens = line.split(b"\t")
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(tokens))
            kind = rng.randrange(5)
            if kind == 0 and len(tokens) > 1:
                del tokens[at]
            elif kind == 1:
                tokens.insert(at, rng.choice(tokens))
            elif kind == 2:
                tokens[at] = rng.choice(TOKENS)
            elif kind == 3:
                tokens[at] = rng.choice(VALUES)
            else:
                tokens.insert(at, rng.choice(TOKENS))
        return b"\t".join(tokens)

    def _damaged_bytes(self, data: bytes) -> bytes:
        rng = self.random
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 2, 10))):
            at = rng.randrange(len(damaged) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                damaged[at : at + 1] = rng.randbytes(1)
            elif kind == 1:
                damaged[at : at + rng.randint(1, 20)] = b""
            elif kind == 2:
                damaged[at:at] = rng.randbytes(rng.choice((1, 4, 200)))
            else:
                begin = rng.randrange(len(damaged) + 1)
                damaged[at:at] = damaged[begin : begin + rng.randint(1, 50)]
        return bytes(damaged)
