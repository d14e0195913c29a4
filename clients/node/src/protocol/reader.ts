/** Turns bytes, in pieces of any size, into replies. Knows no socket. */
import { ProtocolError, serverError, type ServerError } from "../errors.js";
import { decodeValue, type ByteString } from "./bytes.js";

/** One reply line. */
export interface Reply {
  /** 0 for success; else the error's code. */
  readonly code: number;
  /** The second token: the number of columns of each row. */
  readonly columns: number;
  /** How many values there are. In a long reply of short values they take far more memory than the reply. */
  readonly count: number;
  /** All values in their order. */
  readonly values: readonly (ByteString | null)[];
}

/** The largest reply of a server: 64 MiB. */
export const MAX_REPLY = 64 * 1024 * 1024;

const TAB = 9;
const LINE_FEED = 10;
const NUMBER = /^(?:0|[1-9]\d{0,9})$/;
const ERROR_CODE = /^[1-3]$/;
const CONTROLS = /[\x00\x01]/;
const MARKS = /[\x00\x01\t]/;
const ONE_COLUMN = "0\t1\t";

/** The values of longer replies are listed when somebody asks for them. */
const LISTED_AT_ONCE = 64 * 1024;

/** Reads one line without its end. Throws a ProtocolError when it is no reply. */
export function parseReply(line: ByteString): Reply {
  if (line.startsWith(ONE_COLUMN) && line.length <= LISTED_AT_ONCE) {
    const value = line.slice(ONE_COLUMN.length); // One value as it is, as most replies have.
    if (!MARKS.test(value)) return { code: 0, columns: 1, count: 1, values: [value] };
  }
  const reply = split(line);
  const { code, columns, count } = reply;
  const whole = columns === 0 ? count === 0 : count % columns === 0;
  if (!whole) throw new ProtocolError("a reply has half a row", true);
  if (code !== 0 && (columns !== 1 || count !== 1 || reply.values[0] === null)) {
    throw new ProtocolError("an error reply has no text", true);
  }
  return reply;
}

function split(line: ByteString): Reply {
  const first = line.indexOf("\t");
  const head = first < 0 ? line : line.slice(0, first);
  const second = first < 0 ? -1 : line.indexOf("\t", first + 1);
  const digits = first < 0 ? "" : line.slice(first + 1, second < 0 ? undefined : second);
  const tokens = second < 0 ? undefined : line.slice(second + 1);
  if (head !== "0" && !ERROR_CODE.test(head)) throw new ProtocolError("a reply has no code", true);
  if (!NUMBER.test(digits)) throw new ProtocolError("a reply has no number of columns", true);
  const code = Number(head);
  const columns = Number(digits);
  if (tokens === undefined) return { code, columns, count: 0, values: [] };
  if (tokens.length <= LISTED_AT_ONCE) {
    const values = listed(tokens);
    return { code, columns, count: values.length, values };
  }
  let values: (ByteString | null)[] | undefined;
  return {
    code,
    columns,
    count: 1 + tabs(tokens),
    get values() {
      return (values ??= listed(tokens));
    },
  };
}

function listed(tokens: ByteString): (ByteString | null)[] {
  const values = tokens.split("\t");
  return CONTROLS.test(tokens) ? values.map(decodeValue) : values;
}

function tabs(tokens: ByteString): number {
  let found = 0;
  for (let at = 0; at < tokens.length; at++) if (tokens.charCodeAt(at) === TAB) found++;
  return found;
}

/** Whether a reply that is no error answers what was asked. */
export type Check = (reply: Reply) => boolean;

/** Rows of so many columns, and no more than `rows` of them. */
export function hasRows(columns: number, rows = Infinity): Check {
  return (reply) => reply.columns === columns && (columns === 0 || reply.count <= columns * rows);
}

const DIGITS = /^\d{1,20}$/;

function isBetween(
  value: ByteString | null | undefined,
  lowest: number,
  highest: number | bigint,
): boolean {
  if (value == null || !DIGITS.test(value)) return false;
  const number = BigInt(value);
  return number >= lowest && number <= highest;
}

function isId(value: ByteString | null | undefined): boolean {
  return isBetween(value, 0, 2n ** 64n - 1n);
}

/** Nothing to tell. */
export function hasNothing({ count }: Reply): boolean {
  return count === 0;
}

/** One number. */
export function hasCount(reply: Reply): boolean {
  const { columns, count } = reply;
  return columns === 1 && count === 1 && isBetween(reply.values[0], 0, Number.MAX_SAFE_INTEGER);
}

/** Whether the only value is 1. */
export function isOne(reply: Reply): boolean {
  return reply.count === 1 && reply.values[0] === "1";
}

/** One number, or nothing: what an insert has. */
export function hasId(reply: Reply): boolean {
  const { columns, count } = reply;
  return columns === 1 && (count === 0 || (count === 1 && isId(reply.values[0])));
}

/** What the other inserts have: a number from `lowest` to `highest`, and maybe an id. */
export function hasAdded(lowest: number, highest = Number.MAX_SAFE_INTEGER): Check {
  return (reply) => {
    const { columns, count } = reply;
    if (columns !== count || columns < 1 || columns > 2) return false;
    const [number, id = "0"] = reply.values;
    return isBetween(number, lowest, highest) && isId(id);
  };
}

/** The error that a reply is, or undefined. */
export function errorOf(reply: Reply): ServerError | undefined {
  return reply.code === 0 ? undefined : serverError(reply.code, reply.values[0] ?? "");
}

/**
 * Collects the bytes of one connection.
 *
 *     reader.push(chunk, (reply) => …);
 *
 * A ProtocolError that `push` throws ends the stream: nothing after it can be understood.
 */
export class Reader {
  readonly #maxReply: number;
  #pieces: Buffer[] = [];
  #rest = 0;

  /** @param maxReply the most bytes of one reply, with its end */
  constructor(maxReply = MAX_REPLY) {
    this.#maxReply = maxReply;
  }

  /** How many bytes have come that are no whole reply yet. */
  get rest(): number {
    return this.#rest;
  }

  /** Takes the next bytes and gives each reply that is whole now, in order. */
  push(chunk: Buffer, take: (reply: Reply) => void): void {
    let begin = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, begin);
      const length = this.#rest + (end < 0 ? chunk.length : end) - begin;
      if (length >= this.#maxReply) throw new ProtocolError("a reply is too long", true);
      if (end < 0) break;
      const line = this.#line(chunk, begin, end);
      begin = end + 1;
      take(parseReply(line));
    }
    if (begin < chunk.length) {
      this.#pieces.push(begin === 0 ? chunk : chunk.subarray(begin));
      this.#rest += chunk.length - begin;
    }
  }

  #line(chunk: Buffer, begin: number, end: number): ByteString {
    const tail = chunk.toString("latin1", begin, end);
    if (this.#rest === 0) return tail;
    const head = this.#pieces.map((piece) => piece.toString("latin1")).join("");
    this.#pieces = [];
    this.#rest = 0;
    return head + tail;
  }
}
