// The session of README.md with node-redis, with RESP 2 and 3.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");
const load = createRequire(path.join(process.env.INSTALLED, "driver.js"));
const { createClient, RESP_TYPES, WatchError } = load("@redis/client");

const binary = Buffer.from("3c00ff3e0d0a", "hex");

async function connected(options) {
  const client = createClient(options);
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function strings(client) {
  const inBytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  assert.equal(await client.set("page:a", binary, { EX: 100 }), "OK");
  assert.deepEqual(await inBytes.get("page:a"), binary);
  const left = await client.ttl("page:a");
  assert.ok(left >= 99 && left <= 101);
  assert.equal(await client.set("page:a", "x", { NX: true }), null);
  assert.deepEqual(await inBytes.mGet(["page:a", "page:none"]), [binary, null]);
  assert.equal(await client.mSet({ "page:a": "one", "page:b": "two" }), "OK");
  assert.equal(await client.append("page:b", "!"), 4);
  assert.equal(await client.set("page:b", "2", { GET: true }), "two!");
  assert.equal(await client.exists(["page:a", "page:b", "page:none"]), 2);
  assert.equal(await client.expire("page:b", 50), 1);
  assert.equal(await client.persist("page:b"), 1);
  assert.equal(await client.ttl("page:b"), -1);
  assert.equal(await client.incr("count:c"), 1);
  assert.equal(await client.incrBy("count:c", 41), 42);
  assert.equal(await client.decr("count:c"), 41);
  assert.equal(await client.incrByFloat("page:b", 0.5), "2.5");
}

async function hashes(client) {
  assert.equal(await client.hSet("user:1", { name: "ada", visits: 1 }), 2);
  assert.equal(await client.hIncrBy("user:1", "visits", 4), 5);
  assert.deepEqual(await client.hmGet("user:1", ["visits", "none", "name"]), ["5", null, "ada"]);
  assert.deepEqual({ ...(await client.hGetAll("user:1")) }, { id: "1", name: "ada", visits: "5" });
  assert.equal(await client.hExists("user:1", "name"), 1);
}

async function transactions(client, other) {
  assert.deepEqual(await client.multi().incr("count:t").get("page:a").exec(), [1, "one"]);
  await client.watch("count:t");
  await other.incr("count:t");
  await assert.rejects(client.multi().incr("count:t").exec(), WatchError);
  assert.equal(await client.get("count:t"), "2");
}

async function scan(client) {
  const found = [];
  for await (const keys of client.scanIterator({ MATCH: "page:*", COUNT: 1 })) found.push(...keys);
  assert.deepEqual(found.sort(), ["page:a", "page:b"]);
}

async function pipeline(client) {
  const counted = await Promise.all(Array.from({ length: 100 }, () => client.incr("count:p")));
  assert.deepEqual(counted, Array.from({ length: 100 }, (_, i) => i + 1));
}

async function refused(client) {
  for (const line of fs.readFileSync(process.env.REFUSED, "utf8").trimEnd().split("\n")) {
    const [command, error] = line.split("\t");
    await assert.rejects(client.sendCommand(command.split(" ")), (told) => told.message.startsWith(error), command);
  }
}

async function account(RESP) {
  const options = {
    RESP,
    username: "driver",
    socket: {
      port: Number(process.env.GUARDED_PORT),
      tls: true,
      ca: fs.readFileSync(process.env.CA),
      // The certificate of the tests names no address.
      checkServerIdentity: () => undefined,
      reconnectStrategy: false,
    },
  };
  const client = await connected({ ...options, password: "se'cret" });
  assert.equal(await client.set("page:t", "over TLS"), "OK");
  assert.equal(await client.get("page:t"), "over TLS");
  await client.close();
  await assert.rejects(connected({ ...options, password: "wrong" }), { message: /^WRONGPASS/ });
}

async function session(RESP) {
  const options = { RESP, name: "driver", socket: { port: Number(process.env.PORT) } };
  const client = await connected(options);
  const other = await connected(options);
  await strings(client);
  await hashes(client);
  await transactions(client, other);
  await scan(client);
  await pipeline(client);
  await refused(client);
  await account(RESP);
  assert.equal(await client.del(["page:a", "page:b", "count:c", "count:p", "count:t", "user:1"]), 6);
  await other.close();
  return client;
}

async function main() {
  await (await session(2)).close();
  const client = await session(3);
  assert.equal(await client.set("page:left", "node-redis"), "OK");
  await client.close();
  console.log("ok node-redis", load("@redis/client/package.json").version);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
