/** The answer to the challenge of `mysql_native_password`. */
import { createHash } from "node:crypto";

function sha1(...parts: Uint8Array[]): Buffer {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** SHA1(password) XOR SHA1(challenge, SHA1(SHA1(password))); nothing for the empty password. */
export function nativePassword(password: Uint8Array, challenge: Uint8Array): Buffer {
  if (password.length === 0) return Buffer.alloc(0);
  const once = sha1(password);
  const mask = sha1(challenge, sha1(once));
  return Buffer.from(once.map((byte, place) => byte ^ (mask[place] ?? 0)));
}
