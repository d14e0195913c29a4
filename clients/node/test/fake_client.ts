/** Clients of fake servers; both end with their test. */
import { afterEach } from "node:test";
import * as hs from "../src/index.js";
import { FakeServer, usual, type Answer } from "./fake_server.js";

/** What ends with the test. */
export const opened: { close?: () => void; stop?: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) {
    one.close?.();
    await one.stop?.();
  }
});

/** Answers each lookup with a row of its key. */
export const rows: Answer = (line) => {
  const [, op, , key] = line.split("\t");
  if (op === "=" && line.endsWith("\tC")) return "0\t1\t1\n";
  if (op === "=" && /\tU\t/.test(line)) return "0\t1\t1\n";
  return op === "=" ? `0\t2\t${key}\tname ${key}\n` : usual(line);
};

/** A server, and a client of it. */
export async function start(answer: Answer, options = ""): Promise<[FakeServer, hs.Client]> {
  const fake = await FakeServer.start(answer);
  const client = hs.connect(fake.url(options));
  opened.push(fake, client);
  return [fake, client];
}

/** Lines that are finds or changes: those of an index. */
export function requests(fake: FakeServer): string[] {
  return fake.lines.filter((line) => /^\d/.test(line));
}
