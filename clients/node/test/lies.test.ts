/** Replies that are well formed, and none to what was asked: never a row or a number. */
import assert from "node:assert/strict";
import test from "node:test";
import * as hs from "../src/index.js";
import { start } from "./fake_client.js";
import { usual } from "./fake_server.js";

type Work = (table: hs.Table) => Promise<unknown>;

const rows: Record<string, Work> = {
  get: (table) => table.get(1),
  getMany: (table) => table.getMany([1]),
  find: (table) => table.find(">=", 1, { limit: 9 }),
  inserted: (table) => table.insert({ id: 1, name: "a" }, { returning: "after" }),
  updated: (table) => table.update(1, { id: 1, name: "a" }, { returning: "after" }),
  deleted: (table) => table.delete(1, { returning: "before" }),
};

const counts: Record<string, Work> = {
  count: (table) => table.count("=", 1),
  exists: (table) => table.exists(1),
  update: (table) => table.update(1, { name: "a" }),
  delete: (table) => table.delete(1),
  insertIgnore: (table) => table.insertIgnore({ id: 1 }),
  upsert: (table) => table.upsert({ id: 1 }),
  replace: (table) => table.replace({ id: 1 }),
};

async function refused(lie: string, work: Work): Promise<void> {
  const [fake, client] = await start((line) => (/^\d/.test(line) ? `${lie}\n` : usual(line)));
  const table = client.table("user");
  for (const connections of [fake.connections + 1, fake.connections + 2]) {
    await assert.rejects(
      work(table),
      (error) => error instanceof hs.ProtocolError && error.sent,
      JSON.stringify(lie),
    );
    assert.ok(fake.connections >= connections, "the connection was closed");
  }
}

test("rows of another width are no rows", async () => {
  for (const work of Object.values(rows)) {
    for (const lie of ["0\t1\t1", "0\t1", "0\t3", "0\t3\t1\t2\t3", "0\t0"])
      await refused(lie, work);
  }
});

test("get takes one row", () => refused("0\t2\t1\ta\t2\tb", (table) => table.get(1)));

test("what has other than digits is no count, and a count is one value", async () => {
  const lies = [
    "",
    "\t-5",
    "\t1_0",
    "\t 1",
    "\tabc",
    "\t",
    "\t\0",
    "\t+1",
    "\t1e26",
    `\t${"9".repeat(21)}`,
  ];
  for (const work of Object.values(counts)) {
    for (const lie of lies) await refused(`0\t1${lie}`, work);
    await refused("0\t1\t1\t1", work);
    await refused("0\t3\t1\t1\t1", work);
  }
});

test("what is no id is none", async () => {
  for (const lie of ["0\t1\tabc", "0\t1\t-1", "0\t2\t1\t1", "0\t1\t1\t1", "0\t1\t\0"]) {
    await refused(lie, (table) => table.insert({ name: "a" }));
  }
});

test("what an integer column cannot hold is no number", async () => {
  for (const lie of ["", " 1", "1_0", "1.5", "abc", "0x10", "1e3"]) {
    const [, client] = await start((line) =>
      /^\d/.test(line) ? `0\t2\t${lie}\ta\n` : usual(line),
    );
    await assert.rejects(client.table("user").get(1), hs.ProtocolError, JSON.stringify(lie));
  }
});
