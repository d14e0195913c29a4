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

  /** One page, of the rows at an operator and a key, behind `offset` of them. */
  page(op: string, key: Values, offset: number, limit: number): Promise<Values> {
    const { stop, reverse = false, filters: own = [] } = this.#options;
    const last = Array.isArray(stop) ? (stop as readonly Value[])[0] : (stop as Value | undefined);
    const end: Filter[] = last === undefined ? [] : [this.#index.end(last, reverse)];
    const { filterColumns, filters } = wireFilters([...end, ...own]);
    const find = { op, key, limit, offset, filters };
    const line = (id: number): string => requests.find(id, find);
    const check = hasRows(this.#index.columns.length, limit);
    return this.#send(this.#index.columns, filterColumns, line, (reply) => reply.values, check);
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

/**
 * Yields the rows.
 *
 * A page begins behind a key that has one row at most, and else with the rows of a key. It ends in front
 * of a key whose rows may not all be in it: the next page reads them again, so that rows which come or
 * go meanwhile shift no others. Only of a key with more rows than a page has, the rows that were given
 * are skipped by their number.
 */
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
  const made = (values: Values, count: number): R[] =>
    Array.from(
      { length: count },
      (_, row) => rows.row(picks.map((place) => values[row * width + place] ?? null)) as R,
    );
  const sign = reverse ? "<" : ">";

  let key: Values = start === undefined ? await reader.lowest() : keyToWire(start);
  let op = `${sign}=`;
  for (let offset = 0; ;) {
    const values = await reader.page(op, key, offset, page);
    const count = values.length / width;
    const [last, ...earlier] = index.runs(values);
    if (count < page || last === undefined) {
      yield* made(values, count);
      return;
    }
    let given = count;
    if (!index.canBegin(last.key)) {
      offset += count; // The next page begins where this one did.
    } else if (index.isUnique(last.key)) {
      [op, key, offset] = [sign, last.key, 0];
    } else {
      let same = last.rows;
      for (const run of earlier) {
        if (!(await reader.isSame(last.key, run.key))) break;
        same += run.rows;
      }
      if (same < count) {
        offset = 0;
        given -= same;
      } else {
        offset = same + (offset > 0 && (await reader.isSame(last.key, key)) ? offset : 0);
      }
      [op, key] = [`${sign}=`, last.key];
    }
    yield* made(values, given);
  }
}
