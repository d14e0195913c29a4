/** Values of JavaScript on their way to the server, and back as typed values. */
import { ProtocolError, ValueError } from "./errors.js";
import { byteString, textOf, utf8, type ByteString } from "./protocol/bytes.js";
import { kindOf, type Kind } from "./protocol/types.js";

/** What may be sent. A Date is sent as `YYYY-MM-DD hh:mm:ss.mmm` in UTC. */
export type Value = null | string | number | bigint | boolean | Uint8Array | Date;

/** What comes back; bytes are a Buffer. */
export type Read = null | string | number | bigint | Buffer;

/** A row, by the names of its columns. */
export type Row = Record<string, Read>;

/** A key: one value, or one for each column of the index or of its beginning. */
export type Key = Value | readonly Value[];

function ofNumber(value: number): ByteString {
  if (!Number.isFinite(value)) throw new ValueError(`${value} cannot be sent`);
  // Past 2^53 the shortest text would be another integer: all digits, so that none is changed.
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) {
    return BigInt(value).toString();
  }
  return Object.is(value, -0) ? "-0" : String(value);
}

function ofDate(value: Date): ByteString {
  const year = value.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new ValueError("the date is none of SQL");
  return value.toISOString().replace("T", " ").replace("Z", "");
}

/** The bytes of a value, or null. Throws a ValueError for what cannot be sent. */
export function toWire(value: Value): ByteString | null {
  switch (typeof value) {
    case "string":
      return utf8(value);
    case "number":
      return ofNumber(value);
    case "bigint":
      return value.toString();
    case "boolean":
      return value ? "1" : "0";
  }
  if (value === null) return null;
  if (value instanceof Uint8Array) return byteString(value);
  if (value instanceof Date) return ofDate(value);
  throw new ValueError(`a value of type ${typeof value} cannot be sent`);
}

/** The values of a key. */
export function keyToWire(key: Key): (ByteString | null)[] {
  return Array.isArray(key) ? (key as readonly Value[]).map(toWire) : [toWire(key as Value)];
}

/** Makes a value of the bytes of a column. */
export type Decoder = (bytes: ByteString) => Read;

const INTEGER = /^-?\d+$/;
const FLOAT = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function matching(bytes: ByteString, form: RegExp): ByteString {
  if (!form.test(bytes)) throw new ProtocolError("a reply has a number that is none", true);
  return bytes;
}

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 64n - 1n;

function big(bytes: ByteString): bigint {
  const value = BigInt(matching(bytes, INTEGER));
  if (value < LOWEST || value > HIGHEST) {
    throw new ProtocolError("a reply has an integer that no column holds", true);
  }
  return value;
}

function integer(bytes: ByteString): Read {
  const value = Number(matching(bytes, INTEGER));
  return Number.isSafeInteger(value) ? value : big(bytes);
}

function float(bytes: ByteString): number {
  const value = Number(matching(bytes, FLOAT));
  if (!Number.isFinite(value)) throw new ProtocolError("a reply has a number without an end", true);
  return value;
}

const decoders: Record<Kind, Decoder> = {
  integer,
  float,
  decimal: textOf,
  date: textOf,
  datetime: textOf,
  time: textOf,
  text: textOf,
  bytes: (bytes) => Buffer.from(bytes, "latin1"),
};

/** The decoder of a column of this type; `bigint`: BIGINT columns always give a BigInt. */
export function decoderOf(type: string, bigint: boolean): Decoder {
  if (bigint && /^bigint/i.test(type)) return big;
  return decoders[kindOf(type)];
}

/** Gives the bytes of a column as they came. */
export const rawDecoder = decoders.bytes;

function put(row: Row, name: string, value: Read): void {
  if (name === "__proto__") {
    const property = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(row, name, property);
  } else {
    row[name] = value;
  }
}

/** Makes rows of the values of a reply; a column that stands twice is there once. */
export class RowReader {
  readonly names: readonly string[];
  readonly #decoders: readonly Decoder[];

  constructor(names: readonly string[], columnDecoders: readonly Decoder[]) {
    this.names = names;
    this.#decoders = columnDecoders;
  }

  /** The row whose first value has this place. */
  row(values: readonly (ByteString | null)[], first = 0): Row {
    const row: Row = {};
    for (let column = 0; column < this.names.length; column++) {
      const bytes = values[first + column] ?? null;
      const value = bytes === null ? null : (this.#decoders[column] ?? textOf)(bytes);
      put(row, this.names[column] ?? "", value);
    }
    return row;
  }

  /** All rows of a reply. */
  rows(values: readonly (ByteString | null)[]): Row[] {
    const rows: Row[] = [];
    for (let first = 0; first < values.length; first += this.names.length) {
      rows.push(this.row(values, first));
    }
    return rows;
  }
}
