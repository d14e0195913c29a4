/** Ranges over keys that are the same to the server. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Row } from "../src/index.js";
import { start } from "./fake_client.js";
import { usual } from "./fake_server.js";

/** Rows in the order of an index whose text compares without case. */
const ordered = ["a", "A", "b", "B", "b", "B", "c", "C"].map((text, id) => [String(id), text]);

function fold(text: string | undefined): string {
  return (text ?? "").toLowerCase();
}

/** Finds from a key on, and looks for rows with a key and a filter. */
function index(line: string): string {
  if (line.startsWith("D\t") && line.endsWith("\tI")) return "0\t6\tby_name\t1\tname\t0\tA\t\0\n";
  if (!/^\d/.test(line)) return usual(line);
  const [, op, , key, limit, offset, , , , filter] = line.split("\t");
  const found = ordered.filter(([, text]) =>
    op === "="
      ? fold(text) === fold(key) && fold(text) === fold(filter)
      : key === "\0" || fold(text) >= fold(key),
  );
  const page = found.slice(Number(offset ?? 0)).slice(0, Number(limit ?? 1));
  const values = op === "=" ? page.map(([, text]) => [text]) : page;
  return `0\t${op === "=" ? 1 : 2}${values
    .flat()
    .map((value) => `\t${value}`)
    .join("")}\n`;
}

test("a range gives each row once, though keys of other bytes are the same", async () => {
  const [, client] = await start(index);
  const table = client.table("user", { columns: ["id", "name"], index: "by_name" });
  for (let page = 1; page <= ordered.length + 1; page++) {
    const got: Row[] = [];
    for await (const row of table.range({ page })) got.push(row);
    assert.deepEqual(
      got.map((row) => [String(row.id), row.name]),
      ordered,
    );
  }
});
