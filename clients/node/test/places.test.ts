/** Where a client connects to: replicas, and the addresses of a name. */
import assert from "node:assert/strict";
import dns from "node:dns";
import net from "node:net";
import test from "node:test";
import * as hs from "../src/index.js";
import { opened, requests, rows, start } from "./fake_client.js";
import { FakeServer } from "./fake_server.js";

test("reads take replicas in turns, and the primary when none answers", async () => {
  const replicas = [await FakeServer.start(rows), await FakeServer.start(rows)];
  opened.push(...replicas);
  const list = replicas.map((replica) => `127.0.0.1:${replica.port}`).join(",");
  const [fake, client] = await start(rows, `&replicas=${list}`);
  const users = client.table("user");
  for (let id = 0; id < 6; id++) await users.get(id);
  assert.deepEqual(
    replicas.map((replica) => requests(replica).length),
    [3, 3],
  );
  assert.equal(requests(fake).length, 0);
  for (const replica of replicas) await replica.stop();
  assert.deepEqual(await users.get(7), { id: 7, name: "name 7" });
  assert.equal(requests(fake).length, 1);
});

test("a connection may take however long it takes", async () => {
  const [, client] = await start(rows, "&connect_timeout=0");
  assert.deepEqual(await client.table("user").get(7), { id: 7, name: "name 7" });
});

test("a replica that lacks the client's own change is not asked", async () => {
  const replica = await FakeServer.start((line, peer) =>
    line.startsWith("G\tW\t0-1-7\t") ? "0\t1\t0\n" : rows(line, peer),
  );
  opened.push(replica);
  const [fake, client] = await start(
    (line, peer) => (line === "G\tL" ? "0\t1\t0-1-7\n" : rows(line, peer)),
    `&replicas=127.0.0.1:${replica.port}&read_your_writes=on`,
  );
  const users = client.table("user");
  await users.get(1);
  assert.equal(requests(replica).length, 1);
  await users.update(1, { name: "x" });
  assert.equal(await client.lastGtid(), "0-1-7");
  await users.get(1);
  assert.equal(requests(replica).length, 1);
  assert.equal(requests(fake).length, 2);
});

test("the port of another program is told", async (t) => {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined).resume();
    socket.write("J\0\0\0\n11.4.2-MariaDB\0");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const place = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  const plain = hs.connect(`hs://${place}?retries=0`);
  const secure = hs.connect(`hs://${place}?retries=0&tls=require`);
  opened.push(plain, secure);
  await assert.rejects(plain.ping(), {
    name: "ProtocolError",
    sent: false,
    message: `no connection to ${place}: a reply has no code; is it HandlerSocket's port, or that of SQL?`,
  });
  await assert.rejects(secure.ping(), {
    name: "ConnectionError",
    message: new RegExp(`^no TLS with ${place}: .*[^\\s]$`),
  });
});

test("each address of a name is tried, as Node.js 18 does not by itself", async (t) => {
  const [fake] = await start(rows);
  const ofNet = net as unknown as { setDefaultAutoSelectFamily: (on: boolean) => void };
  ofNet.setDefaultAutoSelectFamily(false);
  t.after(() => {
    ofNet.setDefaultAutoSelectFamily(true);
  });
  type Told = (error: null, address: string | dns.LookupAddress[], family?: number) => void;
  const addresses = [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  t.mock.method(dns, "lookup", (_name: string, options: dns.LookupOptions, told: Told) => {
    if (options.all) told(null, addresses);
    else told(null, "::1", 6);
  });
  const client = hs.connect(fake.url().replace("127.0.0.1", "localhost"));
  opened.push(client);
  assert.deepEqual(await client.table("user").get(1), { id: 1, name: "name 1" });
});
