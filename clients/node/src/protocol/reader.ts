/** Turns bytes, in pieces of any size, into replies. Knows no socket. */
import { ProtocolError, serverError, type ServerError } from "../errors.js";
import { decodeValue, type ByteString } from "./bytes.js";

/** One reply line. */
export interface Reply {
  /** 0 for success; else the error's code. */
  readonly code: number;
  /** The second token: the number of columns of each row. */
  readonly columns: number;
  /** All values in their order. */
  readonly values: readonly (ByteString | null)[];
}

/** The largest reply of a server: 64 MiB. */
export const MAX_REPLY = 64 * 1024 * 1024;

const LINE_FEED = 10;
const NUMBER = /^(?:0|[1-9]\d{0,9})$/;
const ERROR_CODE = /^[1-3]$/;
const CONTROLS = /[\x00\x01]/;

/** Reads one line without its end. Throws a ProtocolError when it is no reply. */
export function parseReply(line: ByteString): Reply {
  const tokens = line.split("\t");
  const [code = "", columns = ""] = tokens;
  if (code !== "0" && !ERROR_CODE.test(code)) throw new ProtocolError("a reply has no code", true);
  if (!NUMBER.test(columns)) throw new ProtocolError("a reply has no number of columns", true);
  const values: (ByteString | null)[] = CONTROLS.test(line)
    ? tokens.slice(2).map(decodeValue)
    : tokens.slice(2);
  const reply = { code: Number(code), columns: Number(columns), values };
  const whole = reply.columns === 0 ? values.length === 0 : values.length % reply.columns === 0;
  if (!whole) throw new ProtocolError("a reply has half a row", true);
  if (reply.code !== 0 && (reply.columns !== 1 || values.length !== 1 || values[0] === null)) {
    throw new ProtocolError("an error reply has no text", true);
  }
  return reply;
}

/** Whether a reply that is no error answers what was asked. */
export type Check = (reply: Reply) => boolean;

/** Rows of so many columns, and no more than `rows` of them. */
export function hasRows(columns: number, rows = Infinity): Check {
  return (reply) =>
    reply.columns === columns && (columns === 0 || reply.values.length <= columns * rows);
}

const COUNT = /^\d{1,20}$/;

/** One row of at least one number, and of `most` at most. */
export function hasNumbers(most: number): Check {
  return ({ columns, values }) =>
    columns === values.length &&
    columns > 0 &&
    columns <= most &&
    values.every((value) => value !== null && COUNT.test(value));
}

/** One number at most, as an insert has. */
export function hasId({ columns, values }: Reply): boolean {
  const [id = "0"] = values;
  return columns === 1 && values.length <= 1 && id !== null && COUNT.test(id);
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
