/** A table by one of its indexes: what most programs use. */
import * as args from "./arguments.js";
import type { Executor } from "./dispatcher.js";
import { ValueError } from "./errors.js";
import * as requests from "./protocol/requests.js";
import { hasRows, type Reply } from "./protocol/reader.js";
import { range } from "./range.js";
import { countOf, TableCalls, type TableSpec } from "./table_calls.js";
import { keyToWire, type Key, type Row, type Value } from "./values.js";

/** What an upsert has done, and the id that was generated or belongs to the row. */
export interface Upserted {
  did: "inserted" | "updated" | "unchanged";
  id: number | bigint | null;
}

/** The generated id of a reply; 0 stands for none. */
function idOf(reply: Reply, place: number): number | bigint | null {
  const text = reply.values[place];
  if (text == null || text === "0") return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

/** The line of a get. What cannot be sent is told at once. */
function getLine(key: Key): (id: number) => string {
  if (typeof key === "number" && key > 0 && Number.isSafeInteger(key)) {
    return (id) => `${String(id)}\t=\t1\t${String(key)}\n`; // as most keys are
  }
  const find = { op: "=", key: keyToWire(key) };
  return (id) => requests.find(id, find);
}

/** A table. Cheap, without a state of its own; may be shared by any number of tasks. */
export class Table<R = Row> {
  /** What was asked for. */
  readonly spec: TableSpec;
  readonly #executor: Executor;
  readonly #calls: TableCalls<R>;

  /** @internal */
  constructor(executor: Executor, spec: TableSpec) {
    this.#executor = executor;
    this.spec = spec;
    this.#calls = new TableCalls(executor, spec);
  }

  /** The row with this key, or null. */
  get(key: Key, options: args.CallOptions = {}): Promise<R | null> {
    return this.#calls.reading((schema) => {
      const reader = this.#calls.reader(schema);
      const read = ({ values }: Reply): R | null =>
        values.length === 0 ? null : (reader.row(values) as R);
      const line = getLine(key);
      const more = { check: hasRows(reader.names.length, 1) };
      return this.#calls.call("get", reader.names, line, read, options, more);
    });
  }

  /** A row or null for each key, in the order of the keys. */
  async getMany(keys: readonly Key[], options: args.CallOptions = {}): Promise<(R | null)[]> {
    const found =
      args.listOf(keys, "keys").length > 1
        ? await this.#calls.byFewRequests(keys, options)
        : undefined;
    return found ?? Promise.all(keys.map((key) => this.get(key, options)));
  }

  /** The rows whose index columns compare with the key. */
  async find(op: args.Operator, key: Key, options: args.FindOptions = {}): Promise<R[]> {
    args.refuseUnknown("find", options);
    return this.#calls.find("find", op, key, options, options.in, false);
  }

  /** All rows of each value of one column of the key; limit and offset are for each value. */
  findAll(
    op: args.Operator,
    key: Key,
    inColumn: string,
    values: readonly Value[],
    options: Omit<args.FindOptions, "in"> = {},
  ): Promise<R[]> {
    return this.#calls.find("findAll", op, key, options, { column: inColumn, values }, true);
  }

  /** All rows from `start` to `stop`, one page at a time. */
  range(options: args.RangeOptions = {}): AsyncIterableIterator<R> {
    return range<R>(this.#executor, this.spec, options);
  }

  /** How many rows a find would give. */
  count(op: args.Operator, key: Key, options: args.CountOptions = {}): Promise<number> {
    return this.#executor.submit(() => this.#calls.count("count", op, key, options, countOf));
  }

  /** Whether there is a row with this key. */
  exists(key: Key, options: args.CallOptions = {}): Promise<boolean> {
    const limited = { ...options, limit: 1 };
    return this.#executor.submit(() =>
      this.#calls.count("exists", "=", key, limited, (reply) => countOf(reply) > 0),
    );
  }

  /** Adds a row. Gives the generated id, or null; with `returning`, rows. */
  insert(row: args.Values, options: { returning: args.Returning } & args.CallOptions): Promise<R[]>;
  insert(row: args.Values, options?: args.CallOptions): Promise<number | bigint | null>;
  insert(row: args.Values, options: args.InsertOptions = {}): Promise<unknown> {
    return this.#calls.put("insert", "+", "!", row, undefined, options, (reply) => idOf(reply, 0));
  }

  /** Adds a row unless there is one with its key. */
  insertIgnore(
    row: args.Values,
    options: { returning: args.Returning } & args.CallOptions,
  ): Promise<R[]>;
  insertIgnore(
    row: args.Values,
    options?: args.CallOptions,
  ): Promise<{ inserted: boolean; id: number | bigint | null }>;
  insertIgnore(row: args.Values, options: args.InsertOptions = {}): Promise<unknown> {
    return this.#calls.put("insertIgnore", "+I", "?!", row, undefined, options, (reply) => ({
      inserted: countOf(reply) > 0,
      id: idOf(reply, 1),
    }));
  }

  /**
   * Adds a row, or updates the one that is there.
   *
   * @param update what the row that is there gets; default: all of `row`. Its columns must be among
   *   those of `row`.
   */
  upsert(
    row: args.Values,
    update: args.Values | undefined,
    options: { returning: args.Returning } & args.CallOptions,
  ): Promise<R[]>;
  upsert(row: args.Values, update?: args.Values, options?: args.CallOptions): Promise<Upserted>;
  upsert(
    row: args.Values,
    update?: args.Values,
    options: args.InsertOptions = {},
  ): Promise<unknown> {
    return this.#calls.put("upsert", "+U", "?!", row, update, options, (reply) => ({
      did: ["unchanged", "inserted", "updated"][countOf(reply)],
      id: idOf(reply, 1),
    }));
  }

  /** Adds a row in the place of those that have its keys. */
  replace(
    row: args.Values,
    options: { returning: args.Returning } & args.CallOptions,
  ): Promise<R[]>;
  replace(
    row: args.Values,
    options?: args.CallOptions,
  ): Promise<{ replaced: number; id: number | bigint | null }>;
  replace(row: args.Values, options: args.InsertOptions = {}): Promise<unknown> {
    return this.#calls.put("replace", "+R", "?!", row, undefined, options, (reply) => ({
      replaced: countOf(reply) - 1,
      id: idOf(reply, 1),
    }));
  }

  /** Sets columns of the rows with this key. Gives their number; with `returning`, rows. */
  update(
    key: Key,
    values: args.Values,
    options: args.ChangeOptions & { returning: args.Returning },
  ): Promise<R[]>;
  update(key: Key, values: args.Values, options?: args.ChangeOptions): Promise<number>;
  update(key: Key, values: args.Values, options: args.ChangeOptions = {}): Promise<unknown> {
    return this.#calls.change("update", "U", "?!", key, values, options);
  }

  /** Deletes the rows with this key. */
  delete(key: Key, options: args.ChangeOptions & { returning: args.Returning }): Promise<R[]>;
  delete(key: Key, options?: args.ChangeOptions): Promise<number>;
  delete(key: Key, options: args.ChangeOptions = {}): Promise<unknown> {
    return this.#calls.change("delete", "D", "?", key, undefined, options);
  }

  /** Adds to columns of the rows with this key. */
  increment(
    key: Key,
    amounts: args.Values,
    options: args.ChangeOptions & { returning: args.Returning },
  ): Promise<R[]>;
  increment(key: Key, amounts: args.Values, options?: args.ChangeOptions): Promise<number>;
  increment(key: Key, amounts: args.Values, options: args.ChangeOptions = {}): Promise<unknown> {
    return this.#calls.change("increment", "+", "?!", key, amounts, options);
  }

  /** Subtracts; a row in which a column would cross zero is left alone, and not counted. */
  decrement(
    key: Key,
    amounts: args.Values,
    options: args.ChangeOptions & { returning: args.Returning },
  ): Promise<R[]>;
  decrement(key: Key, amounts: args.Values, options?: args.ChangeOptions): Promise<number>;
  decrement(key: Key, amounts: args.Values, options: args.ChangeOptions = {}): Promise<unknown> {
    return this.#calls.change("decrement", "-", "?!", key, amounts, options);
  }

  /** Sets columns when the row is as expected, and tells whether it was. */
  async compareAndSet(
    key: Key,
    expected: args.Values,
    values: args.Values,
    options: args.CallOptions = {},
  ): Promise<boolean> {
    if ((expected as unknown) !== Object(expected)) throw new ValueError("a row is an object");
    const filters = Object.entries(expected).map(([column, value]): args.Filter => [
      column,
      "=",
      value,
    ]);
    if (filters.length === 0) throw new ValueError("there is nothing to compare with");
    const changed = await this.#calls.change("compareAndSet", "U", "", key, values, {
      ...options,
      filters,
    });
    return changed === 1;
  }
}
