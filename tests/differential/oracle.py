"""The same request as SQL on the twin table, and its outcome."""

from __future__ import annotations

import time

from cases import MANY, Request
from columns import Value
from database import Cells, Database, SqlError
from outcome import NO_COMPARISON, Outcome
from schema import Table
from puts import Puts
from counting import Refused, check_countable, sums
from probes import Probes
from transactions import Step, Steps
from search import NoComparison, filter_condition, key_condition, order_by

class Oracle:
    """Performs requests on the twin of a table."""

    def __init__(self, sql: Database, probe_sql: Database, table: Table, mode: str) -> None:
        self.sql = sql
        self.table = table
        self.strict = mode != ""
        self.puts = Puts(sql, table, zero_is_generated="NO_AUTO_VALUE_ON_ZERO" not in mode)
        self.probes = Probes(probe_sql, table)
        self.steps = Steps(sql)
        self._identity = [p.column for p in table.primary.parts] if table.primary else []

    def perform(self, request: Request) -> Outcome:
        """The outcome of the request in SQL."""
        self.sql.log.clear()
        try:
            if isinstance(request, Step):
                return self.steps.perform(request)
            if refusal := self.steps.refusal(request):
                raise Refused(refusal)
            if request.action == "insert":
                return self.puts.perform(request)
            if request.action in "+-":
                check_countable(request)
            if any(
                request.spec.filters[f.position].blob and f.value is not None
                for f in request.filters
            ):
                raise Refused("filterblob")
            return self._find(request) if request.action == "find" else self._change(request)
        except Refused as refused:
            return Outcome(error=str(refused))
        except NoComparison:
            return Outcome(error=NO_COMPARISON)
        except SqlError as error:
            return Outcome(number=error.number, text=error.text)

    # --- searching ---

    def _candidates(self, request: Request, key: list[Value], limit: str = "") -> list[Cells]:
        """All rows of a key in order: the opened columns, the identity, the filters, the group."""
        spec = request.spec
        where = key_condition(request, key, self.probes)
        if where == "FALSE":
            return []
        order = order_by(spec, request.op)
        shown = [c.shown("t.") for c in spec.columns]
        shown += [f"{c.dump()}" for c in self._identity]
        for item in request.filters:
            condition = filter_condition(spec, item, self.probes)
            shown.append(f"{condition} AS met{len(shown)}")
        if spec.exact_order:
            shown.append("0")
        elif any(p.prefix for p in spec.index.parts):
            shown.append("1")
            order = ["1"]
        else:
            shown.append(f"DENSE_RANK() OVER (ORDER BY {', '.join(order)}) AS the_group")
            order = ["the_group"]
        return self.sql.rows(
            f"SELECT {', '.join(shown)} FROM t USE INDEX () WHERE {where} ORDER BY {', '.join(order)}{limit}"
        )

    def _matching(self, request: Request) -> tuple[list[Cells], list[int], int]:
        """The rows that a request is about with their groups, and where its first one is."""
        width = len(request.spec.columns) + len(self._identity)
        rows: list[Cells] = []
        groups: list[int] = []
        lists = [request.key]
        if request.in_part is not None:
            part = request.in_part
            lists = [[*request.key[:part], v, *request.key[part + 1 :]] for v in request.in_values]
        if request.takes_all:
            for value in request.in_values:
                one = request.of_value(value)
                found, _, skip = self._matching(one)
                rows += found[skip : skip + request.wanted]
            return rows, list(range(len(rows))), 0
        exact = request.spec.exact_order
        for key in lists:
            for row in self._candidates(
                request, key, "" if request.in_part is None else " LIMIT 1"
            ):
                failed = next(
                    (f for f, met in zip(request.filters, row[width:]) if met != b"1"), None
                )
                if failed and failed.stops:
                    return rows, groups, request.offset or 0
                if not failed:
                    rows.append(row[:width])
                    groups.append(len(groups) if exact else int(row[-1] or 0))
        return rows, groups, request.offset or 0

    def is_settled(self, request: Request) -> bool:
        """Whether SQL knows which rows a change takes now: no tie is cut by its limit or offset."""
        if not request.writes or request.action == "insert" or request.spec.exact_order:
            return True
        if request.in_part is not None or (request.offset == 0 and request.limit == MANY):
            return True
        try:
            rows, groups, skip = self._matching(request)
        except (NoComparison, SqlError):
            return True
        ends = (skip, skip + request.wanted)
        return all(not 0 < e < len(rows) or groups[e - 1] != groups[e] for e in ends)

    def _find(self, request: Request) -> Outcome:
        rows, groups, skip = self._matching(request)
        wanted = len(rows) if request.takes_all else request.wanted
        if request.counts:
            return Outcome(count=len(rows[skip : skip + wanted]))
        width = len(request.spec.columns)
        return Outcome(rows=[r[:width] for r in rows], groups=groups, total=wanted, skip=skip)

    # --- changing ---

    def _change(self, request: Request) -> Outcome:
        if request.in_part is not None:
            return self._change_one_by_one(request)
        rows, groups, skip = self._matching(request)
        rows, groups = rows[skip : skip + request.wanted], groups[skip : skip + request.wanted]
        if request.action in "+-":
            return self._as_one(
                request, lambda: self._count_rows(request, rows), rows, groups
            )
        if rows:
            self.sql(self._statement(request, [self._identity_of(request, r) for r in rows]))
        return self._result(request, rows, groups, len(rows))

    def _statement(self, request: Request, conditions: list[str]) -> str:
        where = " OR ".join(conditions)
        order = ", ".join(order_by(request.spec, request.op))
        if request.action == "D":
            return f"DELETE FROM t WHERE {where} ORDER BY {order}".replace("t.`", "`")
        columns = request.spec.columns
        setting = ", ".join(f"{c.quoted} = {c.literal(v)}" for c, v in zip(columns, request.values))
        return f"UPDATE t SET {setting} WHERE {where} ORDER BY {order}"

    def _identity_of(self, request: Request, row: Cells) -> str:
        width = len(request.spec.columns)
        return "(" + " AND ".join(c.same_as(v) for c, v in zip(self._identity, row[width:])) + ")"

    def _as_one(
        self, request: Request, work, rows: list[Cells], groups: list[int]
    ) -> Outcome:
        inside = self.steps.is_open
        begin, keep, undo = (
            ("SAVEPOINT `the request`", "RELEASE SAVEPOINT `the request`", "ROLLBACK TO `the request`")
            if inside
            else ("BEGIN", "COMMIT", "ROLLBACK")
        )
        self.sql(f"SET timestamp = {time.time():.6f}")
        self.sql(begin)
        try:
            count = work()
            self.sql(keep)
        except BaseException:
            self.sql(undo)
            raise
        finally:
            self.sql("SET timestamp = DEFAULT")
        return self._result(request, rows, groups, count)

    def _result(
        self, request: Request, rows: list[Cells], groups: list[int], count: int
    ) -> Outcome:
        if not request.returns_old and not request.returns_new:
            return Outcome(count=count)
        if request.returns_new:
            rows = [self._again(request, row) for row in rows]
        width = len(request.spec.columns)
        return Outcome(rows=[r[:width] for r in rows], groups=groups, total=len(rows))

    def _again(self, request: Request, row: Cells) -> Cells:
        shown = ", ".join(c.shown("t.") for c in request.spec.columns)
        return self.sql.rows(f"SELECT {shown} FROM t WHERE {self._identity_of(request, row)}")[0]

    def _change_one_by_one(self, request: Request) -> Outcome:
        """IN: each value sees the changes of the ones before."""
        found: list[Cells] = []

        def work() -> int:
            count, skip, left = 0, request.offset or 0, request.wanted
            for value in request.in_values if request.takes_all else ():
                one = request.of_value(value)
                rows = self._matching(one)[0][skip : skip + left]
                found.extend(rows)
                if request.action in "+-":
                    count += self._count_rows(request, rows)
                elif rows:
                    identities = [self._identity_of(request, row) for row in rows]
                    self.sql(self._statement(one, identities))
                    count += len(rows)
            for value in request.in_values if not request.takes_all else ():
                one = Request(
                    request.spec,
                    request.action,
                    request.op,
                    list(request.key),
                    filters=request.filters,
                )
                one.values, one.in_part, one.in_values = request.values, request.in_part, [value]
                rows = self._matching(one)[0]
                if not rows:
                    if self._stopped(one):
                        break
                    continue
                if skip:
                    skip -= 1
                    continue
                found.append(rows[0])
                if request.action in "+-":
                    count += self._count_rows(request, rows)
                else:
                    count += self.sql(
                        self._statement(request, [self._identity_of(request, rows[0])])
                    )
                left -= 1
                if not left:
                    break
            return count

        outcome = self._as_one(request, work, found, [])
        if outcome.rows is not None:
            width = len(request.spec.columns)
            outcome.rows = [r[:width] for r in found]
            outcome.groups, outcome.total = list(range(len(found))), len(found)
        return outcome

    def _stopped(self, one: Request) -> bool:
        """Whether the row of an IN value was there and met a `W`."""
        stops = [f for f in one.filters if f.stops]
        if not stops:
            return False
        for upto in range(len(one.filters)):
            item = one.filters[upto]
            before = Request(
                one.spec,
                one.action,
                one.op,
                one.key,
                filters=one.filters[:upto],
                in_part=one.in_part,
                in_values=one.in_values,
            )
            if self._matching(before)[0] and item.stops:
                through = Request(
                    one.spec,
                    one.action,
                    one.op,
                    one.key,
                    filters=one.filters[: upto + 1],
                    in_part=one.in_part,
                    in_values=one.in_values,
                )
                if not self._matching(through)[0]:
                    return True
        return False

    def _exactly(self, request: Request, row: Cells) -> Cells:
        """The row with all digits of its FLOATs."""
        columns = request.spec.columns
        if not any(c.type.startswith("FLOAT") for c in columns):
            return row
        shown = ", ".join(c.dump() if c.type.startswith("FLOAT") else c.shown() for c in columns)
        exact = self.sql.rows(f"SELECT {shown} FROM t WHERE {self._identity_of(request, row)}")
        return exact[0] if exact else row

    def _count_rows(self, request: Request, rows: list[Cells]) -> int:
        counted = 0
        for row in rows:
            setting = sums(request, self._exactly(request, row), self.strict)
            if setting is None:
                continue
            counted += 1
            if setting:
                self.sql(f"UPDATE t SET {', '.join(setting)} WHERE {self._identity_of(request, row)}")
        return counted
