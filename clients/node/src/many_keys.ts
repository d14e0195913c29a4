/**
 * Many keys in one request, and which of its rows is whose.
 *
 * IN finds one row at most for each value, in their order, and skips values without one. So where there
 * are as many rows as keys each row is that of its key. Else the keys that are, byte by byte, those of
 * the rows tell it, if there are as many of these as rows: a key that is a row's own text finds a row.
 * (Other keys may find rows, too, as `A` finds `a` by many collations.)
 */
import type { ByteString } from "./protocol/bytes.js";
import type { Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { kindOf, type Kind } from "./protocol/types.js";
import type { IndexInfo, Schema } from "./schema.js";
import { keyToWire, type Key, type Row, type RowReader } from "./values.js";

/** The keys of one request. */
const MOST = 1000;
/** The bytes of all keys. */
const MOST_BYTES = 1 << 20;
/** Kinds whose text finds its row again. */
const OWN_TEXT: readonly Kind[] = ["integer", "text", "bytes"];

type Wire = ByteString | null;

/** The keys as lists for one request each; none when each key needs a request of its own. */
export function lists(keys: readonly Key[]): Wire[][] {
  const all: Wire[] = [];
  let bytes = 0;
  for (const key of keys) {
    const wire = keyToWire(key);
    const value = wire[0] ?? null;
    bytes += value?.length ?? 0;
    if (wire.length !== 1 || bytes > MOST_BYTES) return [];
    all.push(value);
  }
  const made: Wire[][] = [];
  for (let at = 0; at < all.length; at += MOST) made.push(all.slice(at, at + MOST));
  return made;
}

/** The line that asks for a row of each key, with the id of its index. */
export function line(id: number, keys: readonly Wire[]): ByteString {
  const list = { part: 0, values: keys, all: false };
  return requests.find(id, { op: "=", key: [""], limit: keys.length, offset: 0, in: list });
}

/** Tells the rows of a reply. */
export class Matcher {
  /** What is read: the table's columns, and maybe that of the keys behind them. */
  readonly columns: readonly string[];
  readonly #reader: RowReader;
  /** The place of the column of the keys; below 0: its text tells nothing. */
  readonly #at: number;

  constructor(reader: RowReader, part: IndexInfo, schema: Schema) {
    const { names } = reader;
    const type = schema.columns.find(({ column }) => column === part.column)?.type;
    const tells =
      type !== undefined && OWN_TEXT.includes(kindOf(type)) && part.prefixLength === null;
    this.columns = !tells || names.includes(part.column) ? names : [...names, part.column];
    this.#at = tells ? this.columns.indexOf(part.column) : -1;
    this.#reader = reader;
  }

  /** A row or null for each key; undefined when it cannot be told which row is whose. */
  rows({ values }: Reply, keys: readonly Wire[]): (Row | null)[] | undefined {
    const width = this.columns.length;
    const whole = values.length === width * keys.length;
    let next = 0;
    const found = keys.map((key) => {
      const is =
        whole || (next < values.length && this.#at >= 0 && values[next + this.#at] === key);
      if (!is) return null;
      next += width;
      return this.#reader.row(values, next - width);
    });
    return next === values.length ? found : undefined;
  }
}
