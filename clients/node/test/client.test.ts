/** A client against a server that misbehaves in every way. */
import assert from "node:assert/strict";
import test from "node:test";
import * as hs from "../src/index.js";
import { opened, requests, rows, start } from "./fake_client.js";
import { FakeServer, usual } from "./fake_server.js";

test("calls of one tick share one connection and one write", async () => {
  const [fake, client] = await start(rows);
  const users = client.table("user");
  await users.get(1);
  fake.pieces.length = 0;
  const got = await Promise.all(Array.from({ length: 50 }, (_, id) => users.get(id)));
  assert.deepEqual(got[49], { id: 49, name: "name 49" });
  assert.equal(fake.connections, 1);
  assert.equal(fake.pieces.length, 1);
});

test("a reply is read when it comes in two pieces, cut at each byte", async () => {
  const whole = "0\t2\t1\tn\xc3\xa4me\x01I\n";
  let cut = 0;
  const [, client] = await start((line, { send, socket }) => {
    if (!/^\d/.test(line)) return usual(line);
    send(whole.slice(0, cut));
    socket.once("drain", () => undefined);
    setImmediate(() => send(whole.slice(cut)));
    return undefined;
  });
  for (cut = 0; cut <= whole.length; cut++) {
    assert.deepEqual(await client.table("user").get(1), { id: 1, name: "näme\t" });
  }
});

test("a connection that breaks at each byte of a reply is replaced for a read", async () => {
  const whole = "0\t2\t1\tname\n";
  let cut = 0;
  let broken = false;
  const [fake, client] = await start((line, { send, socket }) => {
    if (!/^\d/.test(line)) return usual(line);
    if (broken) return whole;
    broken = true;
    send(whole.slice(0, cut));
    socket.end();
    return undefined;
  });
  for (cut = 0; cut < whole.length; cut++) {
    broken = false;
    assert.deepEqual(await client.table("user").get(1), { id: 1, name: "name" });
  }
  assert.equal(requests(fake).length, 2 * whole.length);
});

test("a change whose reply did not come is not sent again, and its error tells so", async () => {
  const [fake, client] = await start((line, { socket }) => {
    if (!/^\d/.test(line)) return usual(line);
    socket.destroy();
    return undefined;
  });
  await assert.rejects(client.table("user").update(1, { name: "x" }), (error) => {
    assert.ok(error instanceof hs.ConnectionError);
    assert.equal(error.sent, true);
    return true;
  });
  assert.equal(requests(fake).length, 1);
});

test("a change on a connection that was closed while idle goes to a new one", async () => {
  const [fake, client] = await start(rows);
  const users = client.table("user");
  assert.equal(await users.update(1, { name: "x" }), 1);
  const closed = [...fake.sockets].map(
    (socket) => new Promise((resolve) => socket.once("close", resolve)),
  );
  for (const socket of fake.sockets) socket.end();
  await Promise.all(closed);
  assert.equal(await users.update(1, { name: "y" }), 1);
  assert.equal(fake.connections, 2);
});

test("a read is given up after so many retries", async () => {
  const [fake, client] = await start((line, { socket }) => {
    if (!/^\d/.test(line)) return usual(line);
    socket.destroy();
    return undefined;
  }, "&retries=1");
  await assert.rejects(client.table("user").get(1), hs.ConnectionError);
  assert.equal(requests(fake).length, 2);
});

test("a request without an answer is a timeout, and is not repeated", async () => {
  const [fake, client] = await start(
    (line) => (/^\d/.test(line) ? undefined : usual(line)),
    "&timeout=0.05",
  );
  await assert.rejects(client.table("user").get(1), hs.TimeoutError);
  assert.equal(requests(fake).length, 1);
});

test("a server that does not greet is a timeout of the connection", async () => {
  const [, client] = await start(() => undefined, "&connect_timeout=0.05&retries=0");
  await assert.rejects(client.ping(), hs.TimeoutError);
});

test("what is no reply is a protocol error, and the next call has a new connection", async () => {
  let wrong = true;
  const [fake, client] = await start((line, peer) => {
    if (!/^\d/.test(line)) return usual(line);
    const bad = wrong;
    wrong = false;
    return bad ? "HTTP/1.1 400\n" : rows(line, peer);
  });
  await assert.rejects(client.table("user").get(1), hs.ProtocolError);
  assert.deepEqual(await client.table("user").get(2), { id: 2, name: "name 2" });
  assert.equal(fake.connections, 2);
});

test("an index that is refused is the error of its calls, and is tried again", async () => {
  let refuse = true;
  const [, client] = await start((line, peer) => {
    if (line.startsWith("P\t") && refuse) return "2\t1\tfld\n";
    return rows(line, peer);
  });
  const users = client.table("user");
  await assert.rejects(users.get(1), hs.NotFoundError);
  refuse = false;
  assert.deepEqual(await users.get(1), { id: 1, name: "name 1" });
});

test("at most 256 indexes are open, and an id is not used before its index is", async () => {
  const open = new Map<string, string>();
  const [, client] = await start((line, peer) => {
    const [first = "", id = "", , table = ""] = line.split("\t");
    if (first === "P") open.set(id, table);
    if (!/^\d/.test(line)) return usual(line);
    assert.ok(open.size <= 256);
    return rows(`${first}\t=\t1\t${open.get(first)?.slice(1)}`, peer);
  });
  const get = async (number: number): Promise<void> => {
    const row = await client.table(`t${number}`, { columns: ["id", "name"] }).get(number);
    assert.equal(row?.id, number);
  };
  await Promise.all(Array.from({ length: 600 }, (_, number) => get(number)));
  await get(0);
});

test("an abort ends the wait alone, and the connection goes on", async () => {
  const aborter = new AbortController();
  let held = "";
  const [fake, client] = await start((line, peer) => {
    const [, , , key] = line.split("\t");
    if (key !== "1" && key !== "2") return rows(line, peer);
    held += rows(line, peer) ?? "";
    if (key === "2") aborter.abort();
    return key === "2" ? held : undefined;
  });
  const users = client.table("user");
  await users.get(0);
  const first = users.get(1, { signal: aborter.signal });
  const second = users.get(2);
  await assert.rejects(first, { name: "AbortError" });
  assert.deepEqual(await second, { id: 2, name: "name 2" });
  assert.equal(fake.connections, 1);
  await assert.rejects(users.get(3, { signal: aborter.signal }), { name: "AbortError" });
});

test("a pipeline waits for its other calls when one was given up and is answered all the same", async () => {
  const aborter = new AbortController();
  const [, client] = await start((line, peer) => {
    const key = line.split("\t")[3];
    if (key === "1") aborter.abort();
    if (key !== "3") return rows(line, peer);
    setImmediate(() => peer.send(rows(line, peer) ?? ""));
    return undefined;
  });
  const users = client.table("user");
  await users.get(0);
  const [given, ...others] = await client.pipeline((p) => {
    const inside = p.table(users);
    const first = inside.get(1, { signal: aborter.signal });
    void assert.rejects(first, { name: "AbortError" });
    for (const key of [2, 3]) void inside.get(key);
  });
  assert.equal((given as Error).name, "AbortError");
  assert.deepEqual(others, [
    { id: 2, name: "name 2" },
    { id: 3, name: "name 3" },
  ]);
});

test("an error in a pipeline is the result of its call alone", async () => {
  const [, client] = await start((line, peer) =>
    line.includes("\t+\t") ? "1\t1\t121\n" : rows(line, peer),
  );
  const users = client.table("user");
  const results = await client.pipeline((p) => {
    void p.table(users).get(1);
    void p.table(users).insert({ id: 1 });
    void p.table(users).insert({ id: NaN });
    void p.table(users).get(2);
  });
  assert.deepEqual(results[0], { id: 1, name: "name 1" });
  assert.ok(results[1] instanceof hs.DuplicateKeyError);
  assert.ok(results[2] instanceof hs.ValueError);
  assert.deepEqual(results[3], { id: 2, name: "name 2" });
});

test("a transaction that fails is rolled back, and its connection is used again", async () => {
  const [fake, client] = await start(rows);
  const failing = client.transaction(async (tx) => {
    await tx.table("user").update(1, { name: "x" });
    throw new RangeError("of the block");
  });
  await assert.rejects(failing, RangeError);
  await client.transaction((tx) => tx.table("user").update(1, { name: "x" }));
  const control = fake.lines.filter((line) => line.startsWith("T\t"));
  assert.deepEqual(control, ["T\tB", "T\tR", "T\tB", "T\tC"]);
  assert.equal(fake.connections, 1);
});

test("transactions wait for a connection of a pool that is full", async () => {
  const [fake, client] = await start(rows, "&pool_size=2");
  let inside = 0;
  let most = 0;
  const one = (): Promise<void> =>
    client.transaction(async (tx) => {
      most = Math.max(most, ++inside);
      await tx.table("user", { raw: true, columns: ["id", "name"] }).get(1);
      inside--;
    });
  await Promise.all(Array.from({ length: 20 }, one));
  assert.equal(most, 2);
  assert.equal(fake.connections, 2);
});

test("a wait for a connection of the pool ends", async () => {
  const [, client] = await start(rows, "&pool_size=1&timeout=0.05");
  const transaction = await client.begin();
  await assert.rejects(client.begin(), hs.TimeoutError);
  await transaction.rollback();
  await (await client.begin()).commit();
});

test("a closed client refuses calls and ends those under way", async () => {
  const [, client] = await start((line) => (/^\d/.test(line) ? undefined : usual(line)));
  const waiting = client.table("user", { raw: true, columns: ["id"] }).update(1, { id: 1 });
  client.close();
  await assert.rejects(waiting, hs.ConnectionError);
  await assert.rejects(client.table("user").get(1), hs.ConnectionError);
});

test("columns named as members of objects are columns alone", async () => {
  const [, client] = await start((line) => (/^\d/.test(line) ? "0\t2\tx\ty\n" : usual(line)));
  const columns = ["__proto__", "constructor"];
  const row = await client.table("user", { columns, raw: true }).get(1);
  assert.ok(row);
  assert.deepEqual(Object.keys(row), columns);
  assert.equal(Object.getPrototypeOf(row), Object.prototype);
});

test("the hook learns kind, table, seconds and error of each call", async () => {
  const fake = await FakeServer.start((line, peer) =>
    line.includes("\t+\t") ? "1\t1\t121\n" : rows(line, peer),
  );
  const seen: unknown[] = [];
  const client = hs.connect({
    port: fake.port,
    writePort: fake.port,
    onRequest: (kind, table, seconds, error) => seen.push([kind, table, seconds >= 0, error?.name]),
  });
  opened.push(fake, client);
  await client.table("test.user").get(1);
  await assert.rejects(client.table("test.user").insert({ id: 1 }));
  assert.deepEqual(seen, [
    ["describe", "test.user", true, undefined],
    ["get", "test.user", true, undefined],
    ["insert", "test.user", true, "DuplicateKeyError"],
  ]);
});

test("what is no row is refused", async () => {
  const [fake, client] = await start(rows);
  const table = client.table("a.b", { columns: ["a"], raw: true });
  for (const row of [[1, 2], "x", null, 5] as unknown as { a: number }[]) {
    await assert.rejects(table.insert(row), hs.ValueError);
    await assert.rejects(table.update(1, row), hs.ValueError);
  }
  assert.deepEqual(requests(fake), []);
});
