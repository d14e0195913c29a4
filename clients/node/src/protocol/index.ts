/** The protocol without a socket: encodes requests, and turns bytes into replies. */
export * as requests from "./requests.js";
export type { WireFilter, WireFind, WireIn, WireValue } from "./requests.js";
export { decodeValue, encodeValue, textOf, utf8, type ByteString } from "./bytes.js";
export { errorOf, MAX_REPLY, parseReply, Reader, type Reply } from "./reader.js";
export { nativePassword } from "./login.js";
export { kindOf, type Kind } from "./types.js";
