// The session of README.md with ioredis.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");
const load = createRequire(path.join(process.env.INSTALLED, "driver.js"));
const Redis = load("ioredis");

const binary = Buffer.from("3c00ff3e0d0a", "hex");

async function strings(client) {
  assert.equal(await client.set("page:a", binary, "EX", 100), "OK");
  assert.deepEqual(await client.getBuffer("page:a"), binary);
  const left = await client.ttl("page:a");
  assert.ok(left >= 99 && left <= 101);
  assert.equal(await client.set("page:a", "x", "NX"), null);
  assert.deepEqual(await client.mgetBuffer("page:a", "page:none"), [binary, null]);
  assert.equal(await client.mset({ "page:a": "one", "page:b": "two" }), "OK");
  assert.equal(await client.append("page:b", "!"), 4);
  assert.equal(await client.getset("page:b", "2"), "two!");
  assert.equal(await client.exists("page:a", "page:b", "page:none"), 2);
  assert.equal(await client.expire("page:b", 50), 1);
  assert.equal(await client.persist("page:b"), 1);
  assert.equal(await client.ttl("page:b"), -1);
  assert.equal(await client.incr("count:c"), 1);
  assert.equal(await client.incrby("count:c", 41), 42);
  assert.equal(await client.decr("count:c"), 41);
  assert.equal(await client.incrbyfloat("page:b", 0.5), "2.5");
}

async function hashes(client) {
  assert.equal(await client.hset("user:1", { name: "ada", visits: 1 }), 2);
  assert.equal(await client.hincrby("user:1", "visits", 4), 5);
  assert.deepEqual(await client.hmget("user:1", "visits", "none", "name"), ["5", null, "ada"]);
  assert.deepEqual(await client.hgetall("user:1"), { id: "1", name: "ada", visits: "5" });
  assert.equal(await client.hexists("user:1", "name"), 1);
}

async function transactions(client, other) {
  assert.deepEqual(await client.multi().incr("count:t").get("page:a").exec(), [[null, 1], [null, "one"]]);
  await client.watch("count:t");
  await other.incr("count:t");
  assert.equal(await client.multi().incr("count:t").exec(), null);
  assert.equal(await client.get("count:t"), "2");
}

async function scan(client) {
  const found = [];
  for await (const keys of client.scanStream({ match: "page:*", count: 1 })) found.push(...keys);
  assert.deepEqual(found.sort(), ["page:a", "page:b"]);
}

async function pipeline(client) {
  const pipe = client.pipeline();
  for (let i = 0; i < 100; ++i) pipe.incr("count:p");
  assert.deepEqual((await pipe.exec())[99], [null, 100]);
}

async function refused(client) {
  for (const line of fs.readFileSync(process.env.REFUSED, "utf8").trimEnd().split("\n")) {
    const [command, error] = line.split("\t");
    await assert.rejects(client.call(...command.split(" ")), (told) => told.message.startsWith(error), command);
  }
}

async function account() {
  const options = {
    port: process.env.GUARDED_PORT,
    username: "driver",
    // The certificate of the tests names no address.
    tls: { ca: fs.readFileSync(process.env.CA), checkServerIdentity: () => undefined },
    retryStrategy: null,
  };
  const client = new Redis({ ...options, password: "se'cret" });
  assert.equal(await client.set("page:t", "over TLS"), "OK");
  assert.equal(await client.get("page:t"), "over TLS");
  await client.quit();
  const wrong = new Redis({ ...options, password: "wrong", lazyConnect: true });
  wrong.on("error", () => undefined);
  await assert.rejects(wrong.connect().then(() => wrong.ping()));
  wrong.disconnect();
}

async function main() {
  const client = new Redis({ port: process.env.PORT, connectionName: "driver" });
  const other = new Redis({ port: process.env.PORT });
  await strings(client);
  await hashes(client);
  await transactions(client, other);
  await scan(client);
  await pipeline(client);
  await refused(client);
  await account();
  assert.equal(await client.del("page:a", "page:b", "count:c", "count:p", "count:t", "user:1"), 6);
  assert.equal(await client.set("page:left", "ioredis"), "OK");
  await Promise.all([client.quit(), other.quit()]);
  console.log("ok ioredis", load("ioredis/package.json").version);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
