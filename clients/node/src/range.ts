/** A range of an index, read one page at a time. */
import { wireFilters, type Filter, type RangeOptions } from "./arguments.js";
import type { Executor } from "./dispatcher.js";
import { ValueError } from "./errors.js";
import { specKey } from "./indexes.js";
import * as requests from "./protocol/requests.js";
import type { WireValue } from "./protocol/requests.js";
import type { Schema } from "./schema.js";
import { rawReader } from "./schema.js";
import type { TableSpec } from "./table_calls.js";
import { keyToWire, type Value } from "./values.js";

type Values = readonly WireValue[];

/** A key that is not above the least value of a column of this type. */
function least(type: string, nullable: boolean): WireValue {
  if (nullable) return null;
  const word = /^[a-z0-9]*/.exec(type)?.[0] ?? "";
  if (/int$|^decimal$|^year$/.test(word)) return "-" + "9".repeat(65);
  if (word === "float") return "-3.5e38";
  if (word === "double") return "-1.7976931348623157e308";
  if (word === "time") return "-838:59:59.999999";
  const firsts: Record<string, string> = {
    uuid: "00000000-0000-0000-0000-000000000000",
    inet4: "0.0.0.0",
    inet6: "::",
    date: "0000-00-00",
    datetime: "0000-00-00 00:00:00",
    timestamp: "0000-00-00 00:00:00",
  };
  return firsts[word] ?? "";
}

/** How many rows at the end of the values have the key of the last one. */
function lastKeyRows(values: Values, width: number, places: readonly number[]): number {
  const last = values.length - width;
  let rows = 1;
  for (let row = last - width; row >= 0; row -= width) {
    if (places.some((place) => values[row + place] !== values[last + place])) break;
    rows++;
  }
  return rows;
}

function keyAt(values: Values, row: number, places: readonly number[]): WireValue[] {
  return places.map((place) => values[row + place] ?? null);
}

function sameKey(one: Values, other: Values): boolean {
  return one.length === other.length && one.every((value, place) => value === other[place]);
}

/** Yields the rows. Each page begins at the key of the last row, behind the rows that had it. */
export async function* range<R>(
  executor: Executor,
  spec: TableSpec,
  options: RangeOptions,
): AsyncGenerator<R, void, undefined> {
  const { start, stop, reverse = false, page = 1000, signal } = options;
  const { database, name: table, index = "PRIMARY", raw = false } = spec;
  if (!(Number.isInteger(page) && page > 0)) throw new ValueError("a page has at least one row");
  if (reverse && start === undefined) throw new ValueError("reverse needs start");
  const schema: Schema = await executor.schemas.of(database, table);
  const parts = await executor.schemas.index(database, table, index);
  const wanted = spec.columns ?? schema.names;
  const keyColumns = parts.map((part) => part.column);
  const columns = [...new Set([...wanted, ...keyColumns])];
  const places = keyColumns.map((column) => columns.indexOf(column));
  const first = keyColumns[0] ?? "";
  const last = Array.isArray(stop) ? (stop as readonly Value[])[0] : (stop as Value | undefined);
  const ends: Filter[] = last === undefined ? [] : [[first, reverse ? ">" : "<", last, "while"]];
  const { filterColumns, filters } = wireFilters([...ends, ...(options.filters ?? [])]);
  const indexSpec = { database, table, index, columns, filterColumns };
  const opened = { ...indexSpec, key: specKey(indexSpec) };
  const reader = raw ? rawReader(wanted) : schema.reader(wanted);
  const picks = [...wanted].map((column) => columns.indexOf(column));

  let key: WireValue[];
  if (start !== undefined) {
    key = keyToWire(start);
  } else {
    if (parts[0]?.direction === "D") throw new ValueError("a descending index needs start");
    const column = schema.columns.find((info) => info.column === first);
    key = [least(column?.type ?? "", column?.nullable ?? false)];
  }
  for (let offset = 0; ;) {
    const find = { op: reverse ? "<=" : ">=", key, limit: page, offset, filters };
    const values: Values = await executor.submit(() => ({
      kind: "range",
      table: `${database}.${table}`,
      changes: false,
      index: opened,
      line: (id: number) => requests.find(id, find),
      read: (reply) => reply.values,
      signal,
    }));
    const width = columns.length;
    for (let row = 0; row < values.length; row += width) {
      yield reader.row(picks.map((place) => values[row + place] ?? null)) as R;
    }
    if (values.length < page * width) return;
    const end = keyAt(values, values.length - width, places);
    const rows = lastKeyRows(values, width, places);
    offset = sameKey(end, key) && rows * width === values.length ? offset + rows : rows;
    key = end;
  }
}
