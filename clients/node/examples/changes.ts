/** Inserts, changes, a pipeline, a transaction and a range on the table test.user. */
import assert from "node:assert/strict";
import { connect, DuplicateKeyError } from "../src/index.js";

const client = connect(process.env.HS_URL ?? "hs://127.0.0.1:9998?write_port=9999");
const users = client.table("test.user", { columns: ["user_id", "user_name"] });

await users.delete(900001);
await users.insert({ user_id: 900001, user_name: "a new one" });
await assert.rejects(users.insert({ user_id: 900001 }), DuplicateKeyError);
assert.equal(await users.update(900001, { user_name: "renamed" }), 1);

const [found, missing] = await client.pipeline((p) => {
  void p.table(users).get(900001);
  void p.table(users).get(4000000000);
});
assert.deepEqual([found, missing], [{ user_id: 900001, user_name: "renamed" }, null]);

await client.transaction(async (tx) => {
  assert.equal(await tx.table(users).exists(900001), true);
  await tx.table(users).delete(900001);
});

let rows = 0;
for await (const row of users.range({ start: 1, stop: 50, page: 10 })) rows += row.user_id ? 1 : 0;
console.log(`${rows} rows`);
client.close();
