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

async function refused(lie: string, work: Work, request = /^\d/): Promise<void> {
  const [fake, client] = await start((line) => (request.test(line) ? `${lie}\n` : usual(line)));
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

test("what was added is a number that its verb has", async () => {
  const lies = {
    insertIgnore: ["0\t1\t2", "0\t2\t1\tabc", "0\t2\t1\t18446744073709551616"],
    upsert: ["0\t1\t3"],
    replace: ["0\t1\t0"],
  };
  for (const [call, all] of Object.entries(lies)) {
    for (const lie of all) await refused(lie, counts[call] as Work);
  }
});

test("a count is exact, and an id has 64 bits", async () => {
  await refused("0\t1\t9007199254740992", (table) => table.count("=", 1));
  await refused("0\t1\t18446744073709551616", (table) => table.insert({ name: "a" }));
});

test("what an integer column cannot hold is no number", async () => {
  for (const lie of ["", " 1", "+1", "1_0", "1.5", "abc", "0x10", "1e3", "9".repeat(21)]) {
    await refused(`0\t2\t${lie}\ta`, (table) => table.get(1));
    await refused(
      `0\t2\t${lie}\ta`,
      (table) => table.range({ start: 1, page: 2 }).next(),
      /^\d+\t>/,
    );
  }
});

test("an index is opened with nothing to tell", async () => {
  for (const lie of ["0\t1\t1", "0\t3\ta\tb\tc"]) await refused(lie, (table) => table.get(1), /^P/);
});

test("a transaction begins and ends with nothing to tell", async () => {
  for (const request of [/^T\tB/, /^T\tC/]) {
    const [fake, client] = await start((line) => (request.test(line) ? "0\t1\t5\n" : usual(line)));
    for (let connections = 1; connections < 3; connections++) {
      await assert.rejects(
        client.transaction(() => Promise.resolve()),
        hs.ProtocolError,
      );
      assert.equal(fake.connections, connections);
    }
  }
});

test("what describes nothing is no description", async () => {
  for (const lie of ["0\t1\tx", `0\t16${"\t".repeat(16)}`]) {
    await refused(lie, (table) => table.get(1), /^D/);
  }
});

test("the columns of a table that was altered are asked for again", async () => {
  const [fake, client] = await start((line) => (/^\d/.test(line) ? "0\t2\tabc\ta\n" : usual(line)));
  for (let asked = 1; asked < 3; asked++) {
    await assert.rejects(client.table("user").get(1), hs.ProtocolError);
    assert.equal(fake.lines.filter((line) => line.startsWith("D")).length, asked);
  }
});

// Of 64 MiB of empty values the list has more than a gigabyte.
test("the values of a long reply are not listed before it is known to be an answer", async () => {
  const many = `0\t4${"\t\x01z".repeat(1 << 16)}\n`; // Whoever lists them finds escapes that are none.
  const [, client] = await start((line) => (/^\d/.test(line) ? many : usual(line)));
  await assert.rejects(client.table("user").get(1), /something else/);
});
