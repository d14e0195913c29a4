/** Values on their way, and back. */
import assert from "node:assert/strict";
import test from "node:test";
import { ConfigurationError, ValueError } from "../src/errors.js";
import { connect } from "../src/index.js";
import { settingsOf } from "../src/url.js";
import { decoderOf, toWire, type Value } from "../src/values.js";

test("values are sent as the text that reads back the same", () => {
  const cases: [Value, string | null][] = [
    [null, null],
    [0.1, "0.1"],
    [-0, "-0"],
    [2 ** 60, "1152921504606846976"],
    [1e21, "1e+21"],
    [2n ** 64n - 1n, "18446744073709551615"],
    [true, "1"],
    ["ä", "\xc3\xa4"],
    [Buffer.from([0, 255]), "\0\xff"],
    [new Uint8Array([1, 2]).subarray(1), "\x02"],
    [new Date(Date.UTC(2024, 1, 29, 12, 34, 56, 789)), "2024-02-29 12:34:56.789"],
  ];
  for (const [value, bytes] of cases) assert.equal(toWire(value), bytes);
});

test("what cannot be sent is refused", () => {
  const wrong = [NaN, Infinity, "\ud800", undefined, {}, [], Symbol("x"), new Date(NaN)];
  for (const value of wrong) assert.throws(() => toWire(value as Value), ValueError);
});

test("integers are numbers as far as these are exact, else BigInts", () => {
  const read = decoderOf("bigint(20) unsigned", false);
  assert.equal(read("9007199254740991"), 9007199254740991);
  assert.equal(read("9007199254740992"), 9007199254740992n);
  assert.equal(read("18446744073709551615"), 18446744073709551615n);
  assert.equal(decoderOf("bigint(20)", true)("7"), 7n);
  assert.equal(decoderOf("int(11)", true)("7"), 7);
});

test("an option that is undefined is one that is not given", () => {
  const environment = { HS_PASSWORD: "of the environment", HS_OPTION_FILE: "/dev/null" };
  const settings = settingsOf({ password: undefined, timeout: undefined }, environment);
  assert.equal(settings.password, "of the environment");
  assert.equal(settings.timeout, 30);
});

test("options that cannot be used are named", () => {
  const wrong: [object, RegExp][] = [
    [{ nosuch: 1 }, /nosuch/],
    [{ timeout: "1" }, /timeout/],
    [{ poolSize: 0 }, /poolSize/],
    [{ replicas: [{ host: "x", port: 0 }] }, /replicas/],
    [{ tls: "yes" }, /tls/],
  ];
  for (const [options, name] of wrong) {
    assert.throws(
      () => connect(options),
      (error) => error instanceof ConfigurationError && name.test(error.message),
    );
  }
});

test("what is no list of columns, no port and no option is refused", async () => {
  const client = connect("hs://127.0.0.1:1?retries=0");
  const options = { columns: "a" } as unknown as { columns: string[] };
  assert.throws(() => client.table("a.b", options), ValueError);
  await assert.rejects(client.raw("both" as "read", ["H"]), ValueError);
  assert.throws(() => connect(5 as unknown as string), ConfigurationError);
  client.close();
});
