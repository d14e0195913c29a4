/**
 * Byte strings: a JavaScript string with one character, U+0000 to U+00FF, for each byte.
 *
 * Requests are built from them and written as Latin-1, which costs one copy for a whole pipeline.
 */
import { ProtocolError, ValueError } from "../errors.js";

/** A string of which each character is one byte. */
export type ByteString = string;

const ASCII = /^[\x00-\x7f]*$/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const CONTROLS = /[\x00-\x0f]/;
const ALL_CONTROLS = /[\x00-\x0f]/g;
const ESCAPES = /\x01([\x40-\x4f])?/g;

/** The UTF-8 bytes of a text. Throws a ValueError for half a surrogate pair, which has none. */
export function utf8(text: string): ByteString {
  if (ASCII.test(text)) return text;
  if (LONE_SURROGATE.test(text)) throw new ValueError("the text has half a surrogate pair");
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text whose UTF-8 bytes these are. */
export function textOf(bytes: ByteString): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
}

/** The bytes of a Uint8Array. */
export function byteString(bytes: Uint8Array): ByteString {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The token for a value: `\0` for null, else the bytes with the lowest sixteen escaped. */
export function encodeValue(value: ByteString | null): ByteString {
  if (value === null) return "\0";
  if (!CONTROLS.test(value)) return value;
  return value.replace(
    ALL_CONTROLS,
    (byte) => "\x01" + String.fromCharCode(byte.charCodeAt(0) + 0x40),
  );
}

/** The value of a token. Throws a ProtocolError for an escape that is none. */
export function decodeValue(token: ByteString): ByteString | null {
  if (token === "\0") return null;
  if (!CONTROLS.test(token)) return token;
  return token.replace(ESCAPES, (_, letter: string | undefined) => {
    if (letter === undefined) throw new ProtocolError("a value has a wrong escape", true);
    return String.fromCharCode(letter.charCodeAt(0) - 0x40);
  });
}
