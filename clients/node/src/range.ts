/** A range of an index, read one page at a time. */
import { refuseUnknown, wireFilters, type Filter, type RangeOptions } from "./arguments.js";
import type { Call } from "./connection.js";
import type { Executor } from "./dispatcher.js";
import { ValueError } from "./errors.js";
import { specKey } from "./indexes.js";
import { hasCount, hasRows, type Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { IndexCalls } from "./index_calls.js";
import { RangeIndex, sameBytes, type KeyRun, type Values } from "./range_index.js";
import { rawReader, type IndexInfo } from "./schema.js";
import type { TableSpec } from "./table_calls.js";
import { keyToWire, type Value } from "./values.js";

/** Sends the requests of a range. */
class RangeReader {
  readonly #executor: Executor;
  readonly #spec: TableSpec;
  readonly #options: RangeOptions;
  readonly #index: RangeIndex;
  readonly #at: IndexCalls;

  constructor(
    executor: Executor,
    spec: TableSpec,
    options: RangeOptions,
    index: RangeIndex,
    at: IndexCalls,
  ) {
    this.#at = at;
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
    return this.#at.one(() => this.#executor.submit(() => call));
  }
}

/**
 * Reads one page after the other.
 *
 * A page begins behind a key that has one row at most, and else with the rows of a key. It ends in front
 * of a key whose rows may not all be in it: the next page reads them again, so that rows which come or
 * go meanwhile shift no others. Only of a key with more rows than a page has, the rows that were given
 * are skipped by their number.
 */
class Pages<R> {
  /** Whether there are no more. */
  ended = false;
  readonly #reader: RangeReader;
  readonly #index: RangeIndex;
  readonly #size: number;
  readonly #sign: string;
  readonly #row: (values: Values) => R;
  #key: Values;
  #op: string;
  #offset = 0;

  constructor(
    reader: RangeReader,
    index: RangeIndex,
    size: number,
    sign: string,
    row: (values: Values) => R,
    key: Values,
  ) {
    this.#reader = reader;
    this.#index = index;
    this.#size = size;
    this.#sign = sign;
    this.#row = row;
    this.#key = key;
    this.#op = `${sign}=`;
  }

  async next(): Promise<R[]> {
    const index = this.#index;
    const values = await this.#reader.page(this.#op, this.#key, this.#offset, this.#size);
    const width = index.columns.length;
    const count = values.length / width;
    const [last, ...earlier] = index.runs(values);
    let given = count;
    if (count < this.#size || last === undefined) {
      this.ended = true;
    } else if (!index.canBegin(last.key)) {
      this.#offset += count; // The next page begins where this one did.
    } else if (index.isUnique(last.key)) {
      [this.#op, this.#key, this.#offset] = [this.#sign, last.key, 0];
    } else {
      given -= await this.#goTo(last, earlier, count);
    }
    return Array.from({ length: given }, (_, row) =>
      this.#row(values.slice(row * width, (row + 1) * width)),
    );
  }

  /** Where the next page begins; how many rows of this one are given by that one. */
  async #goTo(last: KeyRun, earlier: readonly KeyRun[], count: number): Promise<number> {
    let same = last.rows;
    for (const run of earlier) {
      if (!(await this.#reader.isSame(last.key, run.key))) break;
      same += run.rows;
    }
    let skipped = 0;
    if (same === count) {
      const again = this.#offset > 0 && (await this.#reader.isSame(last.key, this.#key));
      skipped = same + (again ? this.#offset : 0);
    }
    [this.#op, this.#key, this.#offset] = [`${this.#sign}=`, last.key, skipped];
    return same === count ? 0 : same;
  }
}

/** Yields the rows. */
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
  const at = new IndexCalls(executor, { database, table }, name);

  const begin = async (parts: readonly IndexInfo[]): Promise<Pages<R>> => {
    const ofIndex = parts.map((part) => part.column);
    const schema = await executor.schemas.of(database, table, ofIndex);
    const wanted = spec.columns ?? schema.names;
    const index = new RangeIndex(schema, parts, wanted);
    const rows = spec.raw ? rawReader(wanted) : schema.reader(wanted);
    const picks = wanted.map((column) => index.columns.indexOf(column));
    const row = (values: Values): R => rows.row(picks.map((place) => values[place] ?? null)) as R;
    const reader = new RangeReader(executor, spec, options, index, at);
    const key = start === undefined ? await reader.lowest() : keyToWire(start);
    return new Pages(reader, index, page, reverse ? "<" : ">", row, key);
  };

  let pages: Pages<R> | undefined;
  do {
    const first = async (parts: readonly IndexInfo[]): Promise<[Pages<R>, R[]]> => {
      const begun = await begin(parts);
      return [begun, await begun.next()];
    };
    let rows: R[];
    if (pages === undefined) [pages, rows] = await at.known(first);
    else rows = await at.known(pages.next.bind(pages), false);
    yield* rows;
  } while (!pages.ended);
}
