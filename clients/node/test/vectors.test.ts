/** The vectors that all clients share: bytes and what they mean. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ProtocolError, ValueError, ConfigurationError } from "../src/errors.js";
import { Gtids } from "../src/gtids.js";
import * as protocol from "../src/protocol/index.js";
import { requests, type WireFind, type WireValue } from "../src/protocol/index.js";
import type { Settings } from "../src/options.js";
import { settingsOf } from "../src/url.js";

interface Case {
  name: string;
  [member: string]: unknown;
}
const folder = process.env.HS_VECTORS ?? join(process.cwd(), "..", "vectors");

function vectors(file: string, check: (one: Case) => void): void {
  const content = readFileSync(join(folder, file), "utf8");
  const { cases } = JSON.parse(content) as { cases: Case[] };
  test(`all of ${file}`, async (context) => {
    for (const one of cases) {
      await context.test(one.name, () => {
        check(one);
      });
    }
  });
}

const text = (bytes: unknown): string => protocol.textOf(bytes as string);
const texts = (list: unknown): string[] => ((list ?? []) as string[]).map(text);
const optional = (bytes: unknown): string | undefined => (bytes == null ? undefined : text(bytes));

function findOf([op, key, limit, offset, list, filters]: unknown[]): WireFind {
  return {
    op: op as string,
    key: key as WireValue[],
    limit: (limit ?? undefined) as number | undefined,
    offset: (offset ?? undefined) as number | undefined,
    in: (list ?? undefined) as WireFind["in"],
    filters: (filters ?? undefined) as WireFind["filters"],
  };
}

type Encoder = (args: unknown[]) => string;
const encoders: Record<string, Encoder> = {
  open: ([id, database, table, index, columns, filterColumns]) =>
    requests.open(
      id as number,
      text(database),
      text(table),
      text(index),
      texts(columns),
      texts(filterColumns),
    ),
  find: ([id, ...rest]) => requests.find(id as number, findOf(rest)),
  count: ([id, ...rest]) => requests.count(id as number, findOf(rest)),
  change: ([id, ...rest]) =>
    requests.change(
      id as number,
      findOf(rest),
      rest[6] as string,
      (rest[7] ?? undefined) as WireValue[] | undefined,
    ),
  insert: ([id, verb, values, update]) =>
    requests.insert(
      id as number,
      verb as string,
      values as WireValue[],
      (update ?? undefined) as WireValue[] | undefined,
    ),
  begin: ([isolation, readOnly]) => requests.begin(optional(isolation), readOnly === true),
  commit: () => requests.commit,
  rollback: () => requests.rollback,
  last_gtid: () => requests.lastGtid,
  savepoint: ([name]) => requests.savepoint(text(name)),
  rollback_to: ([name]) => requests.rollbackTo(text(name)),
  wait_gtid: ([gtid, milliseconds]) => requests.waitGtid(text(gtid), milliseconds as number),
  hello: ([version, client]) => requests.hello(version as number, text(client)),
  describe: ([database, table, indexes]) =>
    requests.describe(optional(database), optional(table), indexes === true),
  login: ([user, methods]) => requests.login(text(user), optional(methods)),
  answer: ([response]) => requests.answer(response as string),
  password: ([user, password]) => requests.password(text(user), text(password)),
  secret: ([secret]) => requests.secret(text(secret)),
};

function encode(call: unknown): string {
  const [name, ...args] = call as [string, ...unknown[]];
  const encoder = encoders[name];
  assert.ok(encoder, `no encoder for ${name}`);
  return encoder(args);
}

vectors("values.json", ({ value, token, also }) => {
  assert.equal(protocol.encodeValue(value as WireValue), token);
  for (const one of [token, ...((also ?? []) as string[])]) {
    assert.equal(protocol.decodeValue(one as string), value);
  }
});
vectors("bad_values.json", ({ token }) => {
  assert.throws(() => protocol.decodeValue(token as string), ProtocolError);
});
vectors("requests.json", ({ call, bytes }) => {
  assert.equal(encode(call), bytes);
});
vectors("bad_requests.json", ({ call }) => {
  assert.throws(() => encode(call), ValueError);
});
vectors("types.json", ({ type, kind }) => {
  assert.equal(protocol.kindOf(type as string), kind);
});
vectors("logins.json", ({ password, challenge, response }) => {
  const [one, other] = [password, challenge].map((hex) => Buffer.from(hex as string, "hex"));
  assert.equal(protocol.nativePassword(one as Buffer, other as Buffer).toString("hex"), response);
});
vectors("gtids.json", ({ told, known }) => {
  const gtids = new Gtids();
  for (const one of told as string[]) gtids.note(one);
  assert.deepEqual(gtids.text.split(",").filter(Boolean).sort(), [...(known as string[])].sort());
});
vectors("urls.json", ({ url, options, error }) => {
  const read = (): unknown => settingsOf(url as string, { HS_OPTION_FILE: "/dev/null" });
  if (error === true) {
    assert.throws(read, ConfigurationError);
    return;
  }
  const expected = { ...(settingsOf({}, { HS_OPTION_FILE: "/dev/null" }) as object) };
  for (const [name, value] of Object.entries(options as Record<string, unknown>)) {
    const key = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    Object.assign(expected, { [key]: value });
  }
  const settings = read() as Settings;
  const replicas = settings.replicas.map(({ host, port }) =>
    host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
  );
  assert.deepEqual({ ...settings, replicas }, expected);
});

interface Read {
  replies: unknown[];
  rest: number;
}

function readAll(pieces: string[], maxReply?: number): Read {
  const reader = new protocol.Reader(maxReply);
  const replies: unknown[] = [];
  for (const piece of pieces) {
    reader.push(Buffer.from(piece, "latin1"), (reply) => {
      const error = protocol.errorOf(reply);
      replies.push(
        error
          ? {
              class: error.name,
              code: error.code,
              text: error.text,
              number: error.number,
              message: error.message,
            }
          : { columns: reply.columns, values: reply.values },
      );
    });
  }
  return { replies, rest: reader.rest };
}

function cuts(bytes: string): string[][] {
  const pieces = [[bytes], bytes.split("")];
  for (let at = 1; at < Math.min(bytes.length, 500); at++) {
    pieces.push([bytes.slice(0, at), bytes.slice(at)]);
  }
  return pieces;
}

function meaning(one: Record<string, unknown>): unknown {
  if ("class" in one) {
    const { class: name, code, text, number, hint } = one as Record<string, string>;
    const message = `${text} (code ${code})${hint === undefined ? "" : `: ${hint}`}`;
    return { class: name, code, text, number, message };
  }
  return { columns: one.columns, values: one.values };
}

for (const file of ["replies.json", "errors.json"]) {
  vectors(file, (one) => {
    for (const pieces of cuts(one.bytes as string)) {
      assert.deepEqual(readAll(pieces), { replies: [meaning(one)], rest: 0 });
    }
  });
}
vectors("streams.json", ({ bytes, replies, rest }) => {
  const expected = { replies: (replies as Record<string, unknown>[]).map(meaning), rest };
  for (const pieces of cuts(bytes as string)) assert.deepEqual(readAll(pieces), expected);
});
vectors("bad_replies.json", ({ bytes }) => {
  for (const pieces of cuts(bytes as string)) {
    assert.throws(() => readAll(pieces), ProtocolError);
  }
});
vectors("long_replies.json", ({ bytes, max_reply: maxReply, error }) => {
  for (const pieces of cuts(bytes as string)) {
    const read = (): Read => readAll(pieces, maxReply as number);
    if (error) assert.throws(read, ProtocolError);
    else assert.equal(read().rest, 0);
  }
});
