// Looks rows up by their keys: ../README.md tells the arguments and what is printed.
import { createConnection } from "node:net";

const [target, shape, port, rows, seconds] = process.argv.slice(2);
const BATCH = 100;
const TASKS = 16;

async function hs() {
  const { connect } = await import(process.env.HS_CLIENT);
  const client = connect(`hs://127.0.0.1:${port}`);
  const table = client.table("test.pairs", { columns: ["value"] });
  return {
    one: async (key) => (await table.get(key)).value,
    batch: async (keys) => {
      const found = await client.pipeline((p) => {
        const inside = p.table(table);
        for (const key of keys) void inside.get(key);
      });
      return found.map((row) => row.value);
    },
  };
}

async function sql() {
  const { createPool } = await import("mysql2/promise");
  const pool = createPool({ host: "127.0.0.1", port, user: "bench", connectionLimit: TASKS });
  const marks = Array(BATCH).fill("?").join(",");
  return {
    one: async (key) =>
      (await pool.execute("SELECT value FROM test.pairs WHERE id = ?", [key]))[0][0].value,
    batch: async (keys) => {
      const text = `SELECT id, value FROM test.pairs WHERE id IN (${marks})`;
      const found = new Map((await pool.execute(text, keys))[0].map((row) => [row.id, row.value]));
      return keys.map((key) => found.get(key));
    },
  };
}

async function redis() {
  const { default: Redis } = await import("ioredis");
  const client = new Redis(port);
  return {
    one: (key) => client.get(key),
    batch: async (keys) => {
      const pipeline = client.pipeline();
      for (const key of keys) pipeline.get(key);
      return (await pipeline.exec()).map(([, value]) => value);
    },
  };
}

// A socket, without a client: what the server and the kernel leave to be gained.
async function floor() {
  const connect = () =>
    new Promise((resolve) => {
      const socket = createConnection({ port, host: "127.0.0.1", noDelay: true });
      let text = "";
      let wanted = 1;
      let done = () => resolve(ask);
      const ask = (keys) =>
        new Promise((answered) => {
          wanted = keys.length;
          done = answered;
          socket.write(keys.map((key) => `1\t=\t1\t${key}\n`).join(""));
        });
      socket.setEncoding("latin1");
      socket.on("data", (part) => {
        text += part;
        if (!text.endsWith("\n")) return;
        const lines = text.split("\n");
        if (lines.length <= wanted) return;
        text = "";
        done(lines.slice(0, -1).map((line) => line.slice(4)));
      });
      socket.write("P\t1\ttest\tpairs\tPRIMARY\tvalue\n");
    });
  const idle = await Promise.all(Array.from({ length: TASKS }, connect));
  const batch = async (keys) => {
    const ask = idle.pop();
    const values = await ask(keys);
    idle.push(ask);
    return values;
  };
  return { one: async (key) => (await batch([key]))[0], batch };
}

const { one, batch } = await { hs, sql, redis, floor }[target]();
let lookups = 0;
let wrong = 0;

async function look_up(first, end) {
  const next = () => {
    first += 7919;
    return 1 + (first % rows);
  };
  while (performance.now() < end) {
    const keys = Array.from({ length: shape === "pipeline" ? BATCH : 1 }, next);
    const values = shape === "pipeline" ? await batch(keys) : [await one(keys[0])];
    lookups += keys.length;
    for (let i = 0; i < keys.length; i++)
      if (values[i] !== String(keys[i]).padStart(60, "0")) wrong++;
  }
}

const tasks = shape === "parallel" ? TASKS : 1;
const all = (end) =>
  Promise.all(Array.from({ length: tasks }, (_, i) => look_up((i * rows) / tasks, end)));
await all(performance.now() + 300); // connected, and compiled
lookups = 0;
const begin = performance.now();
const before = process.cpuUsage();
await all(begin + 1000 * seconds);
const { user, system } = process.cpuUsage(before);
const elapsed = (performance.now() - begin) / 1000;
console.log(JSON.stringify({ seconds: elapsed, cpu: (user + system) / 1e6, lookups, wrong }));
process.exit(0);
