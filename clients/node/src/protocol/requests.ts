/** Writes request lines. Values are bytes already; names are checked here. */
import { ValueError } from "../errors.js";
import { encodeValue, utf8, type ByteString } from "./bytes.js";

/** A value on its way: bytes or NULL. */
export type WireValue = ByteString | null;

/** `F` skips a row, `W` ends the search; then operator, number of the filter column, value. */
export type WireFilter = readonly ["F" | "W", string, number, WireValue];

/** A list of values for one part of the key; `all` gives all rows of each. */
export interface WireIn {
  readonly part: number;
  readonly values: readonly WireValue[];
  readonly all?: boolean | undefined;
}

/** What a find, a count and a change have in common. */
export interface WireFind {
  readonly op: string;
  readonly key: readonly WireValue[];
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly in?: WireIn | undefined;
  readonly filters?: readonly WireFilter[] | undefined;
}

/** The largest number of the protocol. */
export const MAX_NUMBER = 4294967295;

const KEY_OPERATORS = new Set(["=", "=<", ">", ">=", "<", "<="]);
const FILTER_OPERATORS = new Set(["=", "!=", ">", ">=", "<", "<="]);
const CHANGES = new Set(["U", "D", "+", "-", "U?", "D?", "+?", "-?", "U!", "+!", "-!"]);
const VERBS = new Set(["+", "+I", "+U", "+R", "+!", "+I!", "+U!", "+R!", "+I?", "+U?", "+R?"]);
const ISOLATION = new Set(["RU", "RC", "RR", "SR"]);

function one(set: ReadonlySet<string>, word: string, what: string): string {
  if (!set.has(word)) throw new ValueError(`'${word}' is no ${what}`);
  return word;
}

function number(value: number, what: string): string {
  if (!Number.isInteger(value) || value < 0 || value > MAX_NUMBER) {
    throw new ValueError(`${what} must be a whole number from 0 to ${MAX_NUMBER}`);
  }
  return String(value);
}

/** A name as it stands in `P`: it is not escaped, so some bytes cannot be in it. */
function name(text: string, what: string): ByteString {
  if (typeof text !== "string") throw new ValueError(`${what} must be text`);
  if (/[\x00-\x0f]/.test(text)) throw new ValueError(`${what} has a control character`);
  return utf8(text);
}

function columnList(columns: readonly string[], what: string): ByteString {
  return columns
    .map((column) => {
      if (typeof column === "string" && (column === "" || column.includes(","))) {
        throw new ValueError(`${JSON.stringify(column)} cannot be a ${what}`);
      }
      return name(column, what);
    })
    .join(",");
}

function list(values: readonly WireValue[]): ByteString {
  let tokens = String(values.length);
  for (const value of values) tokens += "\t" + encodeValue(value);
  return tokens;
}

/** `P`: opens an index under an id. */
export function open(
  id: number,
  database: string,
  table: string,
  index: string,
  columns: readonly string[],
  filterColumns: readonly string[] = [],
): ByteString {
  const tokens = [
    "P",
    number(id, "an index id"),
    name(database, "a database"),
    name(table, "a table"),
    name(index, "an index"),
    columnList(columns, "column"),
  ];
  if (tokens[2] === "" || tokens[3] === "") throw new ValueError("a table needs two names");
  if (filterColumns.length > 0) tokens.push(columnList(filterColumns, "filter column"));
  return tokens.join("\t") + "\n";
}

function filterTokens([kind, op, column, value]: WireFilter): ByteString {
  if (!["F", "W"].includes(kind)) throw new ValueError("a filter is of kind F or W");
  const operator = one(FILTER_OPERATORS, op, "operator of a filter");
  return `\t${kind}\t${operator}\t${number(column, "a filter column")}\t${encodeValue(value)}`;
}

/** Everything of a find but the end of the line; `whole` writes limit and offset in any case. */
function findTokens(id: number, find: WireFind, whole: boolean): ByteString {
  const { op, key, limit = 1, offset = 0, in: inList, filters = [] } = find;
  if (key.length === 0) throw new ValueError("a key needs a value");
  let line = `${number(id, "an index id")}\t${one(KEY_OPERATORS, op, "operator")}\t${list(key)}`;
  const limitToken = number(limit, "a limit");
  const offsetToken = number(offset, "an offset");
  if (whole || inList !== undefined || filters.length > 0 || offset !== 0) {
    line += `\t${limitToken}\t${offsetToken}`;
  } else if (limit !== 1) {
    line += `\t${limitToken}`;
  }
  if (inList !== undefined) {
    if (inList.values.length === 0) throw new ValueError("an IN needs a value");
    if (inList.part >= key.length) throw new ValueError("the key has no such part for an IN");
    line += `\t${inList.all ? "&" : "@"}\t${number(inList.part, "a key part")}`;
    line += `\t${list(inList.values)}`;
  }
  for (const filter of filters) line += filterTokens(filter);
  return line;
}

/** A find. */
export function find(id: number, what: WireFind): ByteString {
  return findTokens(id, what, false) + "\n";
}

/** `C`: how many rows a find would have. */
export function count(id: number, what: WireFind): ByteString {
  return findTokens(id, { limit: 0, ...what }, true) + "\tC\n";
}

/** A find whose rows are changed. */
export function change(
  id: number,
  what: WireFind,
  verb: string,
  values: readonly WireValue[] = [],
): ByteString {
  let line = `${findTokens(id, what, true)}\t${one(CHANGES, verb, "change")}`;
  if (verb[0] === "D" ? values.length > 0 : values.length === 0) {
    throw new ValueError(verb[0] === "D" ? "a delete takes no values" : "a change needs a value");
  }
  for (const value of values) {
    if (verb[0] === "+" || verb[0] === "-") amount(value);
    line += "\t" + encodeValue(value);
  }
  return line + "\n";
}

function amount(value: WireValue): void {
  if (value === null) return;
  const whole = /^[+-]?\d+$/.test(value) ? BigInt(value.replace(/^\+/, "")) : undefined;
  if (whole === undefined || whole < -(2n ** 63n) || whole >= 2n ** 64n) {
    throw new ValueError("an amount must be a whole number of 64 bits");
  }
}

/** An insert, with the values of an update for `+U`. */
export function insert(
  id: number,
  verb: string,
  values: readonly WireValue[],
  update?: readonly WireValue[],
): ByteString {
  const begin = `${number(id, "an index id")}\t${one(VERBS, verb, "kind of insert")}`;
  if (update !== undefined && !verb.startsWith("+U")) {
    throw new ValueError("only +U takes values for an update");
  }
  return `${begin}\t${list(values)}${update === undefined ? "" : "\t" + list(update)}\n`;
}

/** `T B`: begins a transaction. */
export function begin(isolation?: string, readOnly = false): ByteString {
  const level = isolation === undefined ? "" : "\t" + one(ISOLATION, isolation, "isolation level");
  return `T\tB${level}${readOnly ? "\tRO" : ""}\n`;
}

export const commit: ByteString = "T\tC\n";
export const rollback: ByteString = "T\tR\n";
export const lastGtid: ByteString = "G\tL\n";

function savepointName(text: string): ByteString {
  const bytes = utf8(text);
  if (bytes.length > 256) throw new ValueError("a savepoint's name has at most 256 bytes");
  return encodeValue(bytes);
}

/** `T S`: sets a savepoint. */
export function savepoint(text: string): ByteString {
  return `T\tS\t${savepointName(text)}\n`;
}

/** `T U`: undoes what was done since the savepoint. */
export function rollbackTo(text: string): ByteString {
  return `T\tU\t${savepointName(text)}\n`;
}

/** `G W`: waits until GTIDs are applied. */
export function waitGtid(gtid: string, milliseconds: number): ByteString {
  if (milliseconds > 600000) throw new ValueError("a wait has at most 600 seconds");
  return `G\tW\t${name(gtid, "a GTID")}\t${number(milliseconds, "a wait")}\n`;
}

/** `H`: says hello. */
export function hello(version: number, client: string): ByteString {
  return `H\t${number(version, "a version")}\t${name(client, "a client's name")}\n`;
}

/** `D`: describes the server, a database, a table or its indexes. */
export function describe(database?: string, table?: string, indexes = false): ByteString {
  if (database === undefined) {
    if (table !== undefined || indexes) throw new ValueError("a table needs a database");
    return "D\n";
  }
  if (database === "" || table === "") throw new ValueError("an empty name is none");
  let line = "D\t" + encodeValue(utf8(database));
  if (table !== undefined) line += "\t" + encodeValue(utf8(table));
  return `${line}${indexes ? "\tI" : ""}\n`;
}

/** `A 2`: asks for a challenge. */
export function login(user: string, methods?: string): ByteString {
  const rest = methods === undefined ? "" : "\t" + encodeValue(utf8(methods));
  return `A\t2\t${encodeValue(utf8(user))}${rest}\n`;
}

/** `A 3`: answers a challenge, both in hexadecimal. */
export function answer(response: string): ByteString {
  return `A\t3\t${response}\n`;
}

/** `A 4`: logs in by the password itself; only over TLS and Unix sockets. */
export function password(user: string, text: string): ByteString {
  return `A\t4\t${encodeValue(utf8(user))}\t${encodeValue(utf8(text))}\n`;
}

/** `A 1`: shows the port's secret. */
export function secret(text: string): ByteString {
  return `A\t1\t${encodeValue(utf8(text))}\n`;
}

/** A line of tokens as they are: values are to be escaped by the caller's {@link encodeValue}. */
export function raw(tokens: readonly ByteString[]): ByteString {
  if (tokens.some((token) => /[\t\n]/.test(token))) {
    throw new ValueError("a token has a TAB or a line feed");
  }
  return tokens.join("\t") + "\n";
}
