/** The program that the acceptance script drives: see clients/acceptance/README.md. */
import { createInterface } from "node:readline";
import * as hs from "./src/index.js";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = Record<string, unknown>;

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [name, inner] = entries.length === 1 ? (entries[0] as [string, unknown]) : ["", null];
  if (typeof inner === "string") {
    if (name === "bytes") return Buffer.from(inner, "base64");
    if (name === "integer") return BigInt(inner);
    if (name === "decimal" || name === "time") return inner;
  }
  return Object.fromEntries(entries.map(([key, one]) => [key, fromJson(one)]));
}

function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (Buffer.isBuffer(value)) return { bytes: value.toString("base64") };
  if (typeof value === "bigint") return { integer: String(value) };
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object") return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toJson(one)]));
}

function errorAnswer(error: unknown): Json {
  const { name, message, code, text, number, sent } = error as Record<string, Json | undefined>;
  const members: Record<string, Json> = { class: name ?? "Error", message: message ?? "" };
  for (const [key, one] of Object.entries({ code, text, number, sent })) {
    if (one !== undefined) members[key] = one;
  }
  return { error: members };
}

type TableCall = (table: hs.Table, args: Members, options: object) => Promise<unknown>;

const tableCalls: Record<string, TableCall> = {
  get: (table, { key }) => table.get(key as hs.Key),
  get_many: (table, { keys }) => table.getMany(keys as hs.Key[]),
  find: (table, { op, key }, options) => table.find(op as hs.Operator, key as hs.Key, options),
  find_all: (table, { op, key, in_column: column, values }, options) =>
    table.findAll(
      op as hs.Operator,
      key as hs.Key,
      column as string,
      values as hs.Value[],
      options,
    ),
  range: async (table, _, options) => {
    const rows: hs.Row[] = [];
    for await (const row of table.range(options)) rows.push(row);
    return rows;
  },
  count: (table, { op, key }, options) => table.count(op as hs.Operator, key as hs.Key, options),
  exists: (table, { key }) => table.exists(key as hs.Key),
  insert: (table, { row }, options) => table.insert(row as hs.Values, options),
  insert_ignore: (table, { row }, options) => table.insertIgnore(row as hs.Values, options),
  upsert: (table, { row, update }, options) =>
    table.upsert(row as hs.Values, (update ?? undefined) as hs.Values | undefined, options),
  replace: (table, { row }, options) => table.replace(row as hs.Values, options),
  update: (table, { key, values }, options) =>
    table.update(key as hs.Key, values as hs.Values, options),
  put_back: async (table, { key }) =>
    table.update(key as hs.Key, (await table.get(key as hs.Key)) as hs.Values),
  delete: (table, { key }, options) => table.delete(key as hs.Key, options),
  increment: (table, { key, amounts }, options) =>
    table.increment(key as hs.Key, amounts as hs.Values, options),
  decrement: (table, { key, amounts }, options) =>
    table.decrement(key as hs.Key, amounts as hs.Values, options),
  compare_and_set: (table, { key, expected, values }) =>
    table.compareAndSet(key as hs.Key, expected as hs.Values, values as hs.Values),
};

/** What calls take before their options; changes take `op` as an option. */
const POSITIONAL = new Set("key keys in_column row update values amounts expected".split(" "));
const TAKE_OP_FIRST = new Set(["find", "find_all", "count"]);

let client: hs.Client | undefined;
let transaction: hs.Transaction | undefined;
let tables: ((from: hs.Client | hs.Transaction | hs.Pipeline) => hs.Table)[] = [];

function callTable(
  from: hs.Client | hs.Transaction | hs.Pipeline,
  line: Members,
): Promise<unknown> {
  const call = tableCalls[line.do as string];
  const table = tables[(line.table as number) - 1]?.(from);
  if (!call || !table) throw new Error(`the driver has no ${String(line.do)}`);
  const args = (line.args ?? {}) as Members;
  const isPositional = (name: string): boolean =>
    POSITIONAL.has(name) || (name === "op" && TAKE_OP_FIRST.has(line.do as string));
  const options = Object.fromEntries(
    Object.entries(args).filter(([name, one]) => one !== null && !isPositional(name)),
  );
  return call(table, args, options);
}

function connected(): hs.Client {
  if (!client) throw new Error("no client");
  return client;
}

/** Options by their names in this language. */
function camel(options: unknown): Members | undefined {
  if (!options) return undefined;
  const named = (name: string): string =>
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(options as Members).map(([name, value]) => [named(name), value]),
  );
}

/** The options of a URL of ports, with a hook that fails. */
function withHook(url: string): hs.Options {
  const { hostname: host, port, pathname, searchParams } = new URL(url.replace("hs:", "http:"));
  const onRequest = (): never => {
    throw new Error("the hook fails");
  };
  const writePort = Number(searchParams.get("write_port"));
  return { host, port: Number(port), writePort, database: pathname.slice(1), onRequest };
}

type Command = (line: Members) => unknown;

const commands: Record<string, Command> = {
  connect: ({ url, hook, options }) => {
    client?.close();
    client = undefined;
    tables = [];
    client = hs.connect(hook ? withHook(url as string) : (url ?? camel(options)));
  },
  close: () => {
    client?.close();
  },
  table: ({ name, columns, index, raw }) => {
    const options = { columns, index, raw } as hs.TableOptions;
    tables.push((from) => from.table(name as string, options));
    return tables.length;
  },
  pipeline: async ({ calls }) => {
    const results = await connected().pipeline((pipeline) => {
      for (const call of calls as Members[]) {
        callTable(pipeline, call).catch(() => undefined);
      }
    });
    return results.map((one) => (one instanceof Error ? errorAnswer(one) : { ok: toJson(one) }));
  },
  begin: async ({ isolation, read_only: readOnly }) => {
    transaction = await connected().begin({ isolation, readOnly } as hs.TransactionOptions);
  },
  commit: () => ended((one) => one.commit()),
  rollback: () => ended((one) => one.rollback()),
  savepoint: ({ name }) => transaction?.savepoint(name as string),
  rollback_to: ({ name }) => transaction?.rollbackTo(name as string),
  last_gtid: () => connected().lastGtid(),
  wait_for_gtid: ({ gtid, seconds }) => connected().waitForGtid(gtid as string, seconds as number),
  describe: ({ name }) => {
    if (name === undefined || name === null) return connected().describe();
    const what = name as string;
    return what.includes(".") ? connected().describeTable(what) : connected().describe(what);
  },
  indexes: ({ name }) => connected().indexes(name as string),
  ping: () => connected().ping(),
  features: () => connected().features(),
  raw: async ({ port, tokens }) => {
    const reply = await connected().raw(port as "read" | "write", tokens as string[]);
    return [reply.code, reply.columns, ...reply.values];
  },
  threads: ({ count, calls }) => {
    const task = async (): Promise<Json[]> => {
      const answers: Json[] = [];
      for (const call of calls as Members[]) answers.push(await answer(call));
      return answers;
    };
    return Promise.all(Array.from({ length: count as number }, task));
  },
};

function ended(end: (one: hs.Transaction) => Promise<void>): Promise<void> | undefined {
  const one = transaction;
  transaction = undefined;
  return one && end(one);
}

async function answer(line: Members): Promise<Json> {
  try {
    const command = commands[line.do as string];
    const result = command ? command(line) : callTable(transaction ?? connected(), line);
    return { ok: toJson(await result) };
  } catch (error) {
    return errorAnswer(error);
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const members = fromJson(JSON.parse(line)) as Members;
  process.stdout.write(JSON.stringify(await answer(members)) + "\n");
}
client?.close();
