/** Calls that share connections, beside those that have one alone. */
import assert from "node:assert/strict";
import test from "node:test";
import { rows, start } from "./fake_client.js";

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
