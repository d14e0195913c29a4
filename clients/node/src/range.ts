/** A range of an index, read one page at a time. */
import { refuseUnknown, wireFilters, type Filter, type RangeOptions } from "./arguments.js";
import type { Call } from "./connection.js";
import type { Executor } from "./dispatcher.js";
import { ValueError } from "./errors.js";
import { specKey } from "./indexes.js";
import { hasCount, hasRows, type Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { RangeIndex, sameBytes, type Values } from "./range_index.js";
import { rawReader } from "./schema.js";
import type { TableSpec } from "./table_calls.js";
import { keyToWire, type Value } from "./values.js";

/** Sends the requests of a range. */
class RangeReader {
  readonly #executor: Executor;
  readonly #spec: TableSpec;
  readonly #options: RangeOptions;
  readonly #index: RangeIndex;

  constructor(executor: Executor, spec: TableSpec, options: RangeOptions, index: RangeIndex) {
    this.#executor = executor;
    this.#spec = spec;
    this.#options = options;
    this.#index = index;
  }

  /** One page, from a key on, behind `offset` rows: what `read` makes of its values, and these. */
  page<T>(
    key: Values,
    offset: number,
    limit: number,
    read: (values: Values) => T,
  ): Promise<[T, Values]> {
    const { stop, reverse = false, filters: own = [] } = this.#options;
    const last = Array.isArray(stop) ? (stop as readonly Value[])[0] : (stop as Value | undefined);
    const end: Filter[] = last === undefined ? [] : [this.#index.end(last, reverse)];
    const { filterColumns, filters } = wireFilters([...end, ...own]);
    const find = { op: reverse ? "<=" : ">=", key, limit, offset, filters };
    const line = (id: number): string => requests.find(id, find);
    const check = hasRows(this.#index.columns.length, limit);
    const both = ({ values }: Reply): [T, Values] => [read(values), values];
    return this.#send(this.#index.columns, filterColumns, line, both, check);
  }

  /** A key with which the index begins. */
  async lowest(): Promise<Values> {
    let key: Values = this.#index.lowest();
    while (this.#index.hasLower) {
      const below = { op: "<", key, limit: 0 };
      const count = (id: number): string => requests.count(id, below);
      const [rows] = await this.#send([], [], count, (reply) => reply.values, hasCount);
      if (rows === "0") break;
      const find = { op: "<", key, limit: 1, offset: Number(rows) - 1 };
      const line = (id: number): string => requests.find(id, find);
      const first = await this.#send([this.#index.first], [], line, (reply) => reply.values);
      if (first.length > 0) key = first;
    }
    return key;
  }

  /**
   * Whether two keys stand at the same place of the index. Where their bytes differ the server
   * knows.
   */
  async isSame(one: Values, other: Values): Promise<boolean> {
    if (sameBytes(one, other)) return true;
    if (!this.#index.hasSame || one.length !== other.length) return false;
    const columns = this.#index.parts.map((part) => part.column);
    const filters = other.map((value, place) => ["F", "=", place, value] as const);
    const find = { op: "=", key: one, limit: 1, filters };
    const line = (id: number): string => requests.find(id, find);
    return this.#send(columns, columns, line, (reply) => reply.values.length > 0);
  }

  #send<T>(
    columns: readonly string[],
    filterColumns: readonly string[],
    line: (id: number) => string,
    read: (reply: Reply) => T,
    check = hasRows(columns.length, 1),
  ): Promise<T> {
    const { database, name: table, index = "PRIMARY" } = this.#spec;
    const spec = { database, table, index, columns, filterColumns };
    const call: Call<T> = {
      kind: "range",
      table: spec,
      changes: false,
      index: { ...spec, key: specKey(spec) },
      line,
      read,
      check,
      signal: this.#options.signal,
    };
    return this.#executor.submit(() => call);
  }
}

/** Yields the rows. Each page begins at the key of the last row, behind the rows that had it. */
export async function* range<R>(
  executor: Executor,
  spec: TableSpec,
  options: RangeOptions,
): AsyncGenerator<R, void, undefined> {
  refuseUnknown("range", options);
  const { start, reverse = false, page = 1000 } = options;
  const { database, name: table, index: name = "PRIMARY" } = spec;
  if (!(Number.isInteger(page) && page > 0)) throw new ValueError("a page has at least one row");
  if (reverse && start === undefined) throw new ValueError("reverse needs start");
  const schema = await executor.schemas.of(database, table);
  const parts = await executor.schemas.index(database, table, name);
  const wanted = spec.columns ?? schema.names;
  const index = new RangeIndex(schema, parts, wanted);
  const width = index.columns.length;
  const rows = spec.raw ? rawReader(wanted) : schema.reader(wanted);
  const picks = wanted.map((column) => index.columns.indexOf(column));
  const reader = new RangeReader(executor, spec, options, index);
  const read = (values: Values): R[] => {
    const made: R[] = [];
    for (let first = 0; first < values.length; first += width) {
      made.push(rows.row(picks.map((place) => values[first + place] ?? null)) as R);
    }
    return made;
  };

  let key: Values = start === undefined ? await reader.lowest() : keyToWire(start);
  for (let offset = 0; ;) {
    const [made, values] = await reader.page(key, offset, page, read);
    yield* made;
    if (values.length < page * width) return;
    const [last, ...earlier] = index.runs(values);
    if (last === undefined) return;
    if (!index.canBegin(last.key)) {
      offset += page; // The next page begins where this one did.
      continue;
    }
    if (offset > 0 && !index.isUnique(last.key)) earlier.push({ key: [...key], rows: offset });
    key = last.key;
    offset = last.rows;
    for (const run of earlier) {
      if (!(await reader.isSame(key, run.key))) break;
      offset += run.rows;
    }
  }
}
