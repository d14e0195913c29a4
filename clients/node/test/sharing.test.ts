/** Calls that share connections, beside those that have one alone. */
import assert from "node:assert/strict";
import test from "node:test";
import * as hs from "../src/index.js";
import { rows, start } from "./fake_client.js";
import { usual, type Answer } from "./fake_server.js";

for (const options of ["", "&pool_size=1"]) {
  test(`a change that is made beside a transaction is not in it${options}`, async () => {
    const lines = new Map<object, string[]>();
    const [, client] = await start((line, { socket }) => {
      lines.set(socket, [...(lines.get(socket) ?? []), line]);
      return rows(line, { socket, send: () => undefined });
    }, options);
    const users = client.table("user");
    await users.update(1, { name: "x" });
    const filters = [["id", "!=", 5]] as const;
    const changes = [
      () => users.update(1, { name: "y" }),
      () => users.update(1, { name: "y" }, { filters }),
      () => client.pipeline((pipe) => void pipe.table("user").update(1, { id: 7 })),
    ];
    for (const change of changes) {
      const changing = change();
      await (await client.begin()).rollback();
      await changing;
      await Promise.all([change(), client.raw("write", ["1", "=", "1", "1"])]);
    }
    for (const own of lines.values()) {
      let began = false;
      for (const line of own) {
        if (line.startsWith("T\t")) began = line.startsWith("T\tB");
        assert.ok(!(began && line.includes("\tU\t")), own.join("\n"));
      }
    }
  });
}

/** Answers as `rows` does, but a change to `end` by an error, behind which the connection is as told. */
function ending(text: string, isClosed: boolean): Answer {
  const ended = new Set<object>();
  return (line, peer) => {
    if (ended.has(peer.socket)) return undefined;
    if (!line.endsWith("\tend")) return rows(line, peer);
    if (isClosed) ended.add(peer.socket);
    return `2\t1\t${text}\n`;
  };
}

/** The first of three calls at a time is answered with `text`; all others, and one made behind that, are carried out. */
async function othersAreCarriedOut(
  text: string,
  isClosed: boolean,
  options: string,
): Promise<void> {
  const [fake, client] = await start(ending(text, isClosed), options);
  const users = client.table("user");
  await users.update(1, { name: "x" });
  const before = fake.connections;
  const changes = [1, 2, 3].map((id) => users.update(id, { name: id === 1 ? "end" : "x" }));
  const next = changes[0]?.catch(() => users.update(4, { name: "x" }));
  const outcomes = await Promise.allSettled(changes);
  assert.match(String((outcomes[0] as PromiseRejectedResult).reason), new RegExp(text));
  assert.deepEqual(outcomes.slice(1), Array(2).fill({ status: "fulfilled", value: 1 }));
  assert.equal(await next, 1);
  assert.equal(fake.connections, before + 1);
}

test("a connection that the server ends takes no more calls, and what was behind is done elsewhere", async () => {
  await othersAreCarriedOut("request_too_long", true, "&timeout=5");
});

test("calls behind an answer that may be the last are answered, and later ones are made elsewhere", async () => {
  await othersAreCarriedOut("max_memory", false, "&timeout=5&retries=0");
});

test("a connection that has ended is leased to nobody", async () => {
  const answer = ending("request_too_long", true);
  const [, client] = await start(answer, "&timeout=5&retries=0&pool_size=1");
  const users = client.table("user");
  await users.update(1, { name: "x" });
  const change = users.update(1, { name: "end" });
  const [outcome, begun] = await Promise.allSettled([change, client.begin()]);
  assert.equal(outcome.status, "rejected");
  assert.equal(begun.status, "fulfilled");
  await begun.value.rollback();
});

test("an index that is refused in a pipeline is asked for once, and tells its calls why", async () => {
  const [fake, client] = await start((line, peer) =>
    line.includes("\tother\t") ? "1\t1\tmax_memory\n" : rows(line, peer),
  );
  const results = await client.pipeline((pipe) => {
    void pipe.table("other", { columns: ["id"] }).get(1);
    void pipe.table("user", { columns: ["id", "name"] }).get(2);
    void pipe.table("other", { columns: ["id"] }).get(3);
  });
  const refused = results.filter((one) => one instanceof hs.OverloadedError);
  assert.equal(refused.length, 2, String(results));
  assert.deepEqual(results[1], { id: 2, name: "name 2" });
  assert.equal(fake.lines.filter((line) => line.includes("\tother\tPRIMARY")).length, 1);
});

test("an opening of a pipeline that fails is the error of its calls, and is not repeated", async () => {
  const failures: [string | undefined, string, typeof hs.ConnectionError][] = [
    [undefined, "&timeout=0.3", hs.TimeoutError],
    ["0\t1\t5\n", "", hs.ProtocolError],
  ];
  for (const [reply, options, kind] of failures) {
    const answer: Answer = (line) => (line.startsWith("P") ? reply : usual(line));
    const [fake, client] = await start(answer, options);
    const results = await client.pipeline((pipe) => {
      void pipe.table("user", { columns: ["id", "name"] }).get(1);
    });
    assert.ok(results[0] instanceof kind, String(results));
    assert.ok(fake.lines.filter((line) => line.startsWith("P")).length <= 1);
  }
});
