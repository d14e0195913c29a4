// The session of README.md with memjs, which speaks the binary protocol, and logs in by SASL.
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { createRequire } = require("node:module");
const load = createRequire(path.join(process.env.INSTALLED, "driver.js"));
const memjs = load("memjs");

const binary = Buffer.from("3c00ff3e0d0a", "hex");
const silent = { log: () => undefined };

async function values(client) {
  assert.equal((await client.get("x:a")).value, null);
  assert.equal(await client.set("x:a", binary, {}), true);
  assert.deepEqual((await client.get("x:a")).value, binary);
  assert.equal(await client.add("x:a", "x", {}), false);
  assert.equal(await client.replace("x:none", "x", {}), false);
  assert.equal(await client.set("x:b", "two", { expires: 100 }), true);
  assert.equal(await client.append("x:b", "!"), true);
  assert.equal((await client.get("x:b")).value.toString(), "two!"); // Its prepend sends an append.
  assert.equal(await client.touch("x:b", 50), true);
  assert.equal(await client.delete("x:b"), true);
  assert.equal(await client.delete("x:b"), false);
}

async function numbers(client) {
  assert.equal((await client.increment("x:n", 1, { initial: 9 })).value, 9);
  assert.equal((await client.increment("x:n", 33, {})).value, 42);
  assert.equal((await client.decrement("x:n", 2, {})).value, 40);
}

async function account() {
  const place = "127.0.0.1:" + process.env.GUARDED_PORT;
  const options = { username: "driver", logger: silent, retries: 1 };
  const client = memjs.Client.create(place, { ...options, password: "se'cret" });
  assert.equal(await client.set("x:t", "over TLS", {}), true);
  assert.equal((await client.get("x:t")).value.toString(), "over TLS");
  client.close();
}

async function main() {
  const client = memjs.Client.create("127.0.0.1:" + process.env.PORT, { logger: silent });
  await values(client);
  await numbers(client);
  await account();
  assert.equal(await client.delete("x:a"), true);
  assert.equal(await client.delete("x:n"), true);
  assert.equal(await client.set("x:left", "memjs", {}), true);
  client.close();
  console.log("ok memjs");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
