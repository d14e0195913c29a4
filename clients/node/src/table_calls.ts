/** Makes the calls of a table: which index is opened, which line is sent, how the reply is read. */
import * as args from "./arguments.js";
import type { Call, TablePlace } from "./connection.js";
import type { Executor, Plan } from "./dispatcher.js";
import { ServerError, UnsupportedError, ValueError } from "./errors.js";
import { IndexCalls } from "./index_calls.js";
import { specKey, type IndexSpec } from "./indexes.js";
import * as many from "./many_keys.js";
import { hasAdded, hasCount, hasId, hasRows, type Check, type Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { rawReader, type Schema } from "./schema.js";
import { keyToWire, toWire, type Key, type RowReader, type Value } from "./values.js";

/** What {@link Client.table} takes. */
export interface TableOptions {
  /** The columns of the rows. Default: all, as the server tells them. */
  readonly columns?: readonly string[] | undefined;
  /** The name of the index. Default: PRIMARY. */
  readonly index?: string | undefined;
  /** Whether values are bytes as they came. */
  readonly raw?: boolean | undefined;
}

/** What is asked of a table, without its executor. */
export interface TableSpec extends TableOptions {
  readonly database: string;
  readonly name: string;
}

/** What the inserts that may find a row have to tell. */
const ADDED: Record<string, Check> = {
  "+I": hasAdded(0, 1),
  "+U": hasAdded(0, 2),
  "+R": hasAdded(1),
};

type Found<R> = (R | null)[] | undefined;

/** The number that a reply tells. */
export function countOf(reply: Reply): number {
  return Number(reply.values[0]);
}

/** The calls of one table. */
export class TableCalls<R> {
  readonly spec: TableSpec;
  readonly #executor: Executor;
  readonly #indexSpecs = new Map<string, IndexSpec>();
  #last: IndexSpec | undefined; // Without filters, as most calls are for the same columns.
  readonly #place: TablePlace;

  constructor(executor: Executor, spec: TableSpec) {
    this.#executor = executor;
    this.spec = spec;
    this.#place = { database: spec.database, table: spec.name };
  }

  #index(columns: readonly string[], filterColumns: readonly string[] = []): IndexSpec {
    const last = this.#last;
    if (last?.columns === columns && filterColumns.length === 0) return last;
    const { database, name: table, index = "PRIMARY" } = this.spec;
    const spec = { database, table, index, columns, filterColumns };
    const key = specKey(spec);
    let known = this.#indexSpecs.get(key);
    if (known === undefined) {
      known = { ...spec, key };
      this.#indexSpecs.set(key, known);
    }
    if (filterColumns.length === 0 && known.columns === columns) this.#last = known;
    return known;
  }

  call<T>(
    kind: string,
    columns: readonly string[],
    line: (id: number) => string,
    read: (reply: Reply) => T,
    options: args.CallOptions,
    more: {
      filterColumns?: string[];
      changes?: boolean;
      feature?: string | undefined;
      check?: Check;
    } = {},
  ): Call<T> {
    args.refuseUnknown(kind, options);
    return {
      kind,
      table: this.#place,
      changes: more.changes ?? false,
      feature: more.feature,
      index: this.#index(columns, more.filterColumns),
      line,
      read,
      check: more.check ?? hasRows(columns.length),
      signal: options.signal,
    };
  }

  reader(schema: Schema | undefined, names = this.spec.columns): RowReader {
    const all = names ?? schema?.names ?? [];
    if (all.length === 0 && schema?.names.length === 0) {
      throw new UnsupportedError("the server cannot tell the table's columns: name them");
    }
    return this.spec.raw || schema === undefined ? rawReader(all) : schema.reader(all);
  }

  reading<T>(build: (schema: Schema | undefined) => Call<T>): Promise<T> {
    return this.#executor.submit(this.#plan(build));
  }

  #plan<T>(build: (schema: Schema | undefined) => Call<T>): Plan<T> {
    return () => {
      if (this.spec.raw && this.spec.columns !== undefined) return build(undefined);
      const { database, name, columns } = this.spec;
      const schema = this.#executor.schemas.of(database, name, columns);
      return schema instanceof Promise ? schema.then(build) : build(schema);
    };
  }

  /**
   * A row or null for each key; undefined when each key needs a request of its own. That tells its errors,
   * too. Within a transaction an error may have ended it, and the calls of a pipeline are made at once.
   */
  async byFewRequests(
    keys: readonly Key[],
    options: args.CallOptions,
  ): Promise<(R | null)[] | undefined> {
    if (!this.#executor.isAlone) return undefined;
    const lists = many.lists(keys);
    if (lists.length === 0) return undefined;
    const { database, name } = this.spec;
    const index = this.indexCalls();
    try {
      const { schemas } = this.#executor;
      const [part] = await index.know();
      const schema = await schemas.of(database, name, this.spec.columns);
      if (part === undefined) return undefined;
      const matcher = new many.Matcher(this.reader(schema), part, schema);
      const found = lists.map((list) => {
        const line = (id: number): string => many.line(id, list);
        const read = (reply: Reply): Found<R> => matcher.rows(reply, list) as Found<R>;
        const check = hasRows(matcher.columns.length, list.length);
        const call = this.call("getMany", matcher.columns, line, read, options, { check });
        return this.#executor.submit(() => call);
      });
      const all: (R | null)[] = [];
      for (const rows of await Promise.all(found)) {
        if (rows === undefined) return undefined;
        all.push(...rows);
      }
      // Which key has no row is told by the column that the index is known to begin with.
      const tells = all.includes(null) && all.some((row) => row !== null);
      return tells && !(await index.isAsKnown()) ? undefined : all;
    } catch (error) {
      if (error instanceof UnsupportedError || error instanceof ServerError) return undefined;
      throw error;
    }
  }

  async find(
    kind: string,
    op: args.Operator,
    key: Key,
    options: args.FindOptions,
    list: args.In | undefined,
    all: boolean,
  ): Promise<R[]> {
    const made = (inList?: requests.WireIn): Plan<R[]> =>
      this.#found(kind, op, key, options, inList);
    if (list === undefined) return this.#executor.submit(made());
    return this.indexCalls().listed(list, all, made);
  }

  #found(
    kind: string,
    op: args.Operator,
    key: Key,
    options: args.FindOptions,
    inList: requests.WireIn | undefined,
  ): Plan<R[]> {
    return () => {
      const { limit, offset } = options;
      const wireKey = keyToWire(key);
      if (inList?.part === wireKey.length) wireKey.push(inList.values[0] ?? null);
      const { filterColumns, filters } = args.wireFilters(options.filters);
      const find = { op, key: wireKey, limit, offset, in: inList, filters };
      const build = (schema: Schema | undefined): Call<R[]> => {
        const reader = this.reader(schema);
        const read = (reply: Reply): R[] => reader.rows(reply.values) as R[];
        const feature = inList?.all === true ? "all" : op === "=<" ? "descending" : undefined;
        const line = (id: number): string => requests.find(id, find);
        return this.call(kind, reader.names, line, read, options, { filterColumns, feature });
      };
      return this.#plan(build)();
    };
  }

  /** What carries out calls that are right for some columns of the index alone. */
  indexCalls(): IndexCalls {
    return new IndexCalls(this.#executor, this.#place, this.spec.index ?? "PRIMARY");
  }

  count<T>(
    kind: string,
    op: args.Operator,
    key: Key,
    options: args.CountOptions,
    read: (reply: Reply) => T,
  ): Call<T> {
    const { filterColumns, filters } = args.wireFilters(options.filters);
    const find = { op, key: keyToWire(key), limit: options.limit ?? 0, filters };
    const line = (id: number): string => requests.count(id, find);
    const more = { filterColumns, feature: "count", check: hasCount };
    return this.call(kind, [], line, read, options, more);
  }

  put(
    kind: string,
    verb: string,
    allowed: string,
    row: args.Values,
    update: args.Values | undefined,
    options: args.InsertOptions,
    read: (reply: Reply) => unknown,
  ): Promise<unknown> {
    const build = (schema: Schema | undefined): Call<unknown> => {
      const letter = args.suffix(options.returning, allowed);
      const first = update === undefined ? [] : args.keysOf(update, "the update");
      const names = [...new Set([...first, ...args.namesOf(row, "the row")])];
      const stray = first.find((name) => !Object.hasOwn(row, name));
      if (stray !== undefined) throw new ValueError(`the row has no ${stray}, which update sets`);
      const values = names.map((name) => toWire(row[name] as Value));
      const updates = update && first.map((name) => toWire(update[name] as Value));
      const wanted = letter === "" ? [] : (this.spec.columns ?? schema?.names ?? []);
      const reader = this.reader(schema, [...new Set([...names, ...wanted])]);
      const line = (id: number): string => requests.insert(id, verb + letter, values, updates);
      const readRows = (reply: Reply): unknown => reader.rows(reply.values);
      const feature = letter !== "" ? "returning" : verb !== "+" ? "upsert" : undefined;
      const more = {
        changes: true,
        feature,
        ...(letter === "" && { check: ADDED[verb] ?? hasId }),
      };
      return this.call(kind, reader.names, line, letter ? readRows : read, options, more);
    };
    return this.#executor.submit(options.returning ? this.#plan(build) : () => build(undefined));
  }

  change(
    kind: string,
    verb: string,
    allowed: string,
    key: Key,
    values: args.Values | undefined,
    options: args.ChangeOptions,
  ): Promise<unknown> {
    const build = (schema: Schema | undefined): Call<unknown> => {
      const letter = args.suffix(options.returning, allowed);
      const { op = "=", limit } = options;
      const { filterColumns, filters } = args.wireFilters(options.filters);
      const names = values && args.namesOf(values, "the change");
      const wire = names?.map((name) => toWire(values?.[name] as Value));
      const reader = this.reader(schema, names ?? (letter === "" ? [] : this.spec.columns));
      const find = { op, key: keyToWire(key), limit, filters };
      const line = (id: number): string => requests.change(id, find, verb + letter, wire);
      const readRows = (reply: Reply): unknown => reader.rows(reply.values);
      const feature = letter === "!" ? "returning" : undefined;
      const more = {
        filterColumns,
        changes: true,
        feature,
        ...(letter === "" && { check: hasCount }),
      };
      return this.call(kind, reader.names, line, letter ? readRows : countOf, options, more);
    };
    return this.#executor.submit(options.returning ? this.#plan(build) : () => build(undefined));
  }
}
