/** What the calls of a table take beside keys and rows. */
import { ValueError } from "./errors.js";
import { toWire, type Value } from "./values.js";
import type { WireFilter } from "./protocol/requests.js";

/** How a key compares; `=<` is `=` from the last row to the first. */
export type Operator = "=" | "=<" | ">" | ">=" | "<" | "<=";

/** How a filter compares. */
export type FilterOperator = "=" | "!=" | ">" | ">=" | "<" | "<=";

/** Column, operator, value; with `"while"` the first row that fails ends the search. */
export type Filter = readonly [string, FilterOperator, Value, "while"?];

/** Which state of the rows a change gives. */
export type Returning = "before" | "after";

/** A list of values for one column of the key. */
export interface In {
  readonly column: string;
  readonly values: readonly Value[];
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the wait for the reply. What has been sent may be carried out all the same. */
  readonly signal?: AbortSignal | undefined;
}

/** What finds take. */
export interface FindOptions extends CallOptions {
  /** The most rows. Default: 1. */
  readonly limit?: number | undefined;
  /** Rows to skip first, behind the filters. Default: 0. */
  readonly offset?: number | undefined;
  /** All must hold. */
  readonly filters?: readonly Filter[] | undefined;
  /** One row at most for each of these values. */
  readonly in?: In | undefined;
}

/** What counts take; a limit of 0 is none. */
export interface CountOptions extends CallOptions {
  readonly limit?: number | undefined;
  readonly filters?: readonly Filter[] | undefined;
}

/** What changes of rows take. */
export interface ChangeOptions extends CallOptions {
  /** Default: `=`. */
  readonly op?: Operator | undefined;
  /** The most rows. Default: 1. */
  readonly limit?: number | undefined;
  readonly filters?: readonly Filter[] | undefined;
  readonly returning?: Returning | undefined;
}

/** What inserts take. */
export interface InsertOptions extends CallOptions {
  readonly returning?: Returning | undefined;
}

/** What a range takes. */
export interface RangeOptions extends CallOptions {
  /** The first key. Default: the beginning of the index. */
  readonly start?: Value | readonly Value[] | undefined;
  /** The first value of the index's first column that is not wanted any more. */
  readonly stop?: Value | readonly Value[] | undefined;
  /** From `start` to the beginning of the index. */
  readonly reverse?: boolean | undefined;
  readonly filters?: readonly Filter[] | undefined;
  /** Rows of one request. Default: 1000. */
  readonly page?: number | undefined;
}

const READ = ["signal"];
const FIND = ["limit", "offset", "filters", "in", ...READ];
const INSERT = ["returning", "signal"];
const CHANGE = ["op", "limit", "filters", ...INSERT];
const known: Readonly<Record<string, readonly string[]>> = {
  get: READ,
  getMany: READ,
  find: FIND,
  findAll: FIND.filter((name) => name !== "in"),
  range: ["start", "stop", "reverse", "filters", "page", ...READ],
  count: ["limit", "filters", ...READ],
  exists: ["limit", ...READ],
  insert: INSERT,
  insertIgnore: INSERT,
  upsert: INSERT,
  replace: INSERT,
  update: CHANGE,
  delete: CHANGE,
  increment: CHANGE,
  decrement: CHANGE,
  compareAndSet: ["filters", ...READ],
  begin: ["isolation", "readOnly"],
};

/** A name that is mistyped must not make an update of all rows of what should be one of some. */
export function refuseUnknown(kind: string, options: object): void {
  if ((options as unknown) !== Object(options)) {
    throw new ValueError(`the options of ${kind} are an object`);
  }
  for (const name of Object.keys(options)) {
    if (known[kind]?.includes(name) !== true) throw new ValueError(`${kind} has no option ${name}`);
  }
  const { signal } = options as { signal?: Partial<AbortSignal> | null };
  if (signal != null && typeof signal.throwIfAborted !== "function") {
    throw new ValueError("signal is an AbortSignal");
  }
}

/** What an update, a delete and a count of it share with each column's values. */
export type Values = Readonly<Record<string, Value>>;

/** The letter behind a change that tells which rows come back. */
export function suffix(returning: Returning | undefined, allowed: string): string {
  if (returning === undefined) return "";
  const letter = { before: "?", after: "!" }[returning] as string | undefined;
  if (letter === undefined || !allowed.includes(letter)) {
    throw new ValueError(`returning cannot be '${returning}' here`);
  }
  return letter;
}

/** What is meant to be a list. A text and bytes have a length and members, too, and are none. */
export function listOf<T>(given: readonly T[], what: string): readonly T[] {
  const isList: boolean = Array.isArray(given);
  if (!isList) throw new ValueError(`${what} are a list`);
  return given;
}

/** What is meant to be a function. */
export function functionOf<T>(given: T, what: string): T {
  if (typeof given !== "function") throw new ValueError(`${what} is a function`);
  return given;
}

/** The columns that filters compare, and the filters as they are sent. */
export function wireFilters(filters: readonly Filter[] = []): {
  filterColumns: string[];
  filters: WireFilter[];
} {
  for (const filter of listOf(filters, "filters")) listOf(filter, "column, operator and value");
  const filterColumns = [...new Set(filters.map(([column]) => column))];
  const wire = filters.map(([column, op, value, kind]): WireFilter => {
    if (![undefined, "while"].includes(kind)) throw new ValueError("a filter's kind is while");
    return [kind === "while" ? "W" : "F", op, filterColumns.indexOf(column), toWire(value)];
  });
  return { filterColumns, filters: wire };
}

/** The names of the columns of a row. */
export function keysOf(row: Values, what: string): string[] {
  if ((row as unknown) !== Object(row) || Array.isArray(row)) {
    throw new ValueError(`${what} is no object by names of columns`);
  }
  return Object.keys(row);
}

/** The same, of which there must be one. */
export function namesOf(row: Values, what: string): string[] {
  const names = keysOf(row, what);
  if (names.length === 0) throw new ValueError(`${what} has no columns`);
  return names;
}
