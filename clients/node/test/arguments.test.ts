/** What calls refuse before anything is sent. */
import assert from "node:assert/strict";
import test from "node:test";
import * as hs from "../src/index.js";
import { requests, rows, start } from "./fake_client.js";

test("an option that a call does not have is refused, and nothing is sent", async () => {
  const [fake, client] = await start(rows);
  const users = client.table("user");
  const mistyped = { filter: [["name", "=", "x"]] } as object;
  await assert.rejects(users.update(1, { name: "y" }, mistyped), hs.ValueError);
  await assert.rejects(users.find(">=", 1, mistyped), hs.ValueError);
  await assert.rejects(users.get(1, mistyped), hs.ValueError);
  await assert.rejects(users.insert({ id: 1 }, mistyped), hs.ValueError);
  await assert.rejects(users.range(mistyped).next(), hs.ValueError);
  await assert.rejects(client.begin(mistyped), hs.ValueError);
  assert.deepEqual(requests(fake), []);
});

test("names and options of another kind are refused, and nothing is sent", async () => {
  const [fake, client] = await start(rows);
  const users = client.table("user", { columns: ["id"], raw: true });
  for (const wrong of [5, null, []] as unknown as never[]) {
    assert.throws(() => client.table(wrong), hs.ValueError);
    assert.throws(() => client.table("user", { columns: [wrong] }), hs.ValueError);
    await assert.rejects(async () => client.indexes(wrong), hs.ValueError);
    await assert.rejects(users.upsert({ id: 1 }, wrong), hs.ValueError);
  }
  for (const signal of [5, "x", {}] as unknown as AbortSignal[]) {
    await assert.rejects(users.get(1, { signal }), hs.ValueError);
  }
  for (const wrong of [5, null] as unknown as never[]) {
    assert.throws(() => client.table("user", wrong), hs.ValueError);
    await assert.rejects(users.find("=", 1, wrong), hs.ValueError);
    await assert.rejects(client.begin(wrong), hs.ValueError);
    await assert.rejects(users.range(wrong).next(), hs.ValueError);
  }
  assert.deepEqual(requests(fake), []);
});

test("a block is a function, a hook and a replica are what they are, and nothing is sent", async () => {
  const [fake, client] = await start(rows);
  for (const wrong of [5, undefined, null, "x", {}] as unknown as never[]) {
    await assert.rejects(client.transaction(wrong), hs.ValueError);
    await assert.rejects(client.pipeline(wrong), hs.ValueError);
    assert.throws(() => hs.connect({ replicas: [wrong] }), hs.ConfigurationError);
  }
  assert.throws(() => hs.connect((() => 1) as object), hs.ConfigurationError);
  assert.throws(() => hs.connect({ onRequest: 5 as never }), hs.ConfigurationError);
  const users = client.table("user", { columns: ["id"], raw: true });
  await assert.rejects(users.compareAndSet(1, null as never, { id: 1 }), hs.ValueError);
  await assert.rejects(users.insert({ id: 1 }, { returning: 5n as never }), hs.ValueError);
  await assert.rejects(client.begin({ isolation: 5n as never }), hs.ValueError);
  assert.deepEqual(requests(fake), []);
});

test("what should be a list is refused, and nothing is sent", async () => {
  const [fake, client] = await start(rows);
  const users = client.table("user", { columns: ["id"], raw: true });
  for (const wrong of ["abc", Buffer.from("abc"), 5, null, new Set([1])]) {
    const list = wrong as unknown as [];
    await assert.rejects(users.getMany(list), hs.ValueError);
    await assert.rejects(users.find("=", 1, { in: { column: "id", values: list } }), hs.ValueError);
    await assert.rejects(users.findAll("=", 1, "id", list), hs.ValueError);
    await assert.rejects(users.find("=", 1, { filters: list }), hs.ValueError);
    await assert.rejects(
      users.find("=", 1, { filters: [list as unknown as hs.Filter] }),
      hs.ValueError,
    );
    await assert.rejects(async () => client.raw("read", list), hs.ValueError);
  }
  assert.deepEqual(requests(fake), []);
});
