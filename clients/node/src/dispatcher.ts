/**
 * Sends calls where they belong: reads to the read port or a replica, changes to the write port.
 * What is safe to repeat is sent again.
 */
import { setTimeout as delay } from "node:timers/promises";
import { readChecked, type Call, type Connection, type Outcome } from "./connection.js";
import { ConfigurationError, ConnectionError, NotFoundError } from "./errors.js";
import { ProtocolError, ServerError, TimeoutError } from "./errors.js";
import { Gtids } from "./gtids.js";
import { tellHook } from "./hook.js";
import type { Settings } from "./options.js";
import { Pool } from "./pool.js";
import { hasCount, hasRows, isOne, type Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { Schemas } from "./schema.js";

/** Makes a call, at once where all is known that it needs. */
export type Plan<T> = () => Call<T> | Promise<Call<T>>;

/** What carries out calls: a client, a pipeline or a transaction. */
export interface Executor {
  readonly schemas: Schemas;
  readonly database: string | undefined;
  /** Whether a call may be followed by others as its result says: not in a block. */
  readonly isAlone: boolean;
  /** Whether the calls are answered at the end of a block. */
  readonly collects: boolean;
  submit<T>(plan: Plan<T>): Promise<T>;
}

/** The longest pause before a request is sent again, in milliseconds. */
const MAX_PAUSE_MS = 2000;

/** Waits a random time, longer with each attempt, so that clients do not come back all at once. */
function pause(attempt: number): Promise<void> {
  return delay(Math.random() * Math.min(50 * 2 ** attempt, MAX_PAUSE_MS));
}

function repeatable(error: unknown, call: Call<unknown>): boolean {
  if (!(error instanceof ConnectionError)) return false;
  if (error instanceof TimeoutError || error instanceof ProtocolError) return false;
  return !error.sent || !call.changes;
}

/** Where calls go. */
export class Dispatcher implements Executor {
  readonly isAlone = true;
  readonly collects = false;
  readonly settings: Settings;
  readonly schemas: Schemas;
  readonly gtids = new Gtids();
  readonly #read: Pool;
  readonly #write: Pool | undefined;
  readonly #replicas: readonly Pool[];
  #turn = 0;
  #changed: Connection | undefined;

  constructor(settings: Settings) {
    const { host, port, writePort, socket, writeSocket, secret } = settings;
    const writeSecret = settings.writeSecret ?? secret;
    this.settings = settings;
    this.#read = new Pool({ host, port, path: socket, secret }, settings);
    if (socket === undefined || writeSocket !== undefined) {
      const place = { host, port: writePort, path: writeSocket, secret: writeSecret };
      this.#write = new Pool(place, settings);
    }
    this.#replicas = settings.replicas.map(
      (replica) => new Pool({ ...replica, path: undefined, secret }, settings),
    );
    this.schemas = new Schemas((call) => this.run(call), settings.bigint);
  }

  /** The database of tables that are named without one. */
  get database(): string | undefined {
    return this.settings.database;
  }

  /** The connections of the write port, or else of the read port. */
  pool(write: boolean): Pool {
    if (!write) return this.#read;
    if (this.#write) return this.#write;
    throw new ConfigurationError("changes need the option writeSocket");
  }

  submit<T>(plan: Plan<T>): Promise<T> {
    let call: Call<T> | Promise<Call<T>>;
    try {
      call = plan();
    } catch (error) {
      return Promise.reject(error);
    }
    return call instanceof Promise ? call.then((made) => this.run(made)) : this.run(call);
  }

  /** Carries out one call. */
  run<T>(call: Call<T>): Promise<T> {
    return this.observed(call, this.#run(call));
  }

  /** Tells the hook, if there is one, how a call ends. */
  observed<T>(call: Call<T>, result: Promise<T>): Promise<T> {
    if (this.settings.onRequest === undefined) return result;
    const begin = performance.now();
    return result.then(
      (value) => {
        this.tell(call, begin, undefined);
        return value;
      },
      (error: unknown) => {
        this.tell(call, begin, error);
        throw error;
      },
    );
  }

  /** Tells the hook, if there is one, how a call has ended. */
  tell(call: Call<unknown>, begin: number, error: unknown): void {
    tellHook(this.settings.onRequest, call, begin, error);
  }

  /** Forgets what a table was like that is not so any more. */
  forgetChanged(call: Call<unknown>, error: unknown): void {
    if (!call.table) return;
    if (error instanceof NotFoundError || error instanceof ProtocolError) {
      this.schemas.forget(call.table);
    }
  }

  /** Carries out calls in one piece. Each has an outcome of its own. */
  async runAll(calls: readonly Call<unknown>[]): Promise<Outcome[]> {
    const write = calls.some((call) => call.changes);
    const outcomes: Outcome[] = [];
    let left = calls.map((_, place) => place);
    for (let attempt = 0; ; attempt++) {
      const again = left.map((place) => calls[place] as Call<unknown>);
      const results = await this.#sendAll(again, write);
      results.forEach((outcome, place) => (outcomes[left[place] as number] = outcome));
      const failed = left.filter((place) => {
        const outcome = outcomes[place];
        return outcome?.status === "rejected" && outcome.reason instanceof ConnectionError;
      });
      const may = failed.every((place) => {
        const outcome = outcomes[place] as PromiseRejectedResult;
        return repeatable(outcome.reason, calls[place] as Call<unknown>);
      });
      if (failed.length === 0 || !may || attempt >= this.settings.retries) return outcomes;
      left = failed;
      await pause(attempt);
    }
  }

  /** The GTID of the last change. */
  async lastGtid(): Promise<string> {
    const connection = this.#changed;
    if (connection !== undefined && !this.settings.readYourWrites) await this.learn(connection);
    return this.gtids.text;
  }

  /** Asks a connection for the GTID of its last change. */
  async learn(connection: Connection): Promise<void> {
    const gtid = { check: hasRows(1, 1), read: (reply: Reply) => reply.values[0] ?? "" };
    const read = (reply: Reply): string => readChecked(reply, gtid);
    const { timeout } = this.settings;
    this.gtids.note(await connection.session.send(requests.lastGtid, timeout, read));
  }

  /** Notes that a connection has changed rows. */
  noteChange(connection: Connection): Promise<void> | undefined {
    this.#changed = connection;
    if (!this.settings.readYourWrites || !connection.has("gtid")) return undefined;
    return this.learn(connection).catch((error: unknown) => {
      // Without a binary log there is nothing to wait for, and a connection that broke tells itself.
      if (!(error instanceof ServerError || error instanceof ConnectionError)) throw error;
    });
  }

  /** Closes all connections. */
  close(): void {
    for (const pool of [this.#read, this.#write, ...this.#replicas]) pool?.close();
  }

  async #run<T>(call: Call<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await (call.changes ? this.#change(call) : this.#find(call));
      } catch (error) {
        this.forgetChanged(call, error);
        if (attempt >= this.settings.retries || !repeatable(error, call)) throw error;
      }
      await pause(attempt);
    }
  }

  async #sendAll(calls: readonly Call<unknown>[], write: boolean): Promise<Outcome[]> {
    let connection: Connection;
    try {
      connection = await (write ? this.pool(true).share() : this.#reader());
    } catch (reason) {
      return calls.map(() => ({ status: "rejected", reason }));
    }
    try {
      return await this.#sendAllOn(connection, calls, write);
    } finally {
      connection.letGo();
    }
  }

  async #sendAllOn(
    connection: Connection,
    calls: readonly Call<unknown>[],
    write: boolean,
  ): Promise<Outcome[]> {
    // All indexes first, so that nothing stands between the calls.
    const opening = connection.prepareAll(calls);
    let told: Promise<Outcome[]>;
    if (opening === undefined) {
      told = connection.all(calls, (call, reason) => {
        this.forgetChanged(call, reason);
      });
    } else {
      const refusals = await opening;
      const outcomes: Promise<Outcome>[] = [];
      for (const [place, call] of calls.entries()) {
        const refusal = refusals[place];
        const again = refusal === undefined ? connection.prepare(call) : undefined;
        if (again) await again.catch(() => undefined);
        outcomes.push(this.#outcome(connection, call, refusal));
      }
      told = Promise.all(outcomes);
    }
    if (write) await this.noteChange(connection);
    return told;
  }

  async #outcome(connection: Connection, call: Call<unknown>, refusal: unknown): Promise<Outcome> {
    try {
      if (refusal !== undefined) throw refusal;
      return { status: "fulfilled", value: await connection.exchange(call) };
    } catch (reason) {
      this.forgetChanged(call, reason);
      return { status: "rejected", reason };
    }
  }

  async #reader(): Promise<Connection> {
    for (let tries = this.#replicas.length; tries > 0; tries--) {
      const pool = this.#nextReplica();
      try {
        const connection = await pool.share();
        // It is not let go when it is not current: no transaction ever has a replica.
        if (await this.#isCurrent(connection)) return connection;
      } catch (error) {
        if (!(error instanceof ConnectionError || error instanceof ServerError)) throw error;
      }
    }
    return this.#read.share();
  }

  #nextReplica(): Pool {
    this.#turn = (this.#turn + 1) % this.#replicas.length;
    return this.#replicas[this.#turn] as Pool;
  }

  /** Whether a replica has the client's own changes, after a wait. */
  async #isCurrent(connection: Connection): Promise<boolean> {
    const gtid = this.gtids.text;
    const { session } = connection;
    if (!this.settings.readYourWrites || gtid === "" || session.applied === gtid) return true;
    const { gtidTimeout, timeout } = this.settings;
    const line = requests.waitGtid(gtid, Math.round(gtidTimeout * 1000));
    const applied = (reply: Reply): boolean => readChecked(reply, { check: hasCount, read: isOne });
    if (!(await session.send(line, timeout === 0 ? 0 : timeout + gtidTimeout, applied)))
      return false;
    session.applied = gtid;
    return true;
  }

  #find<T>(call: Call<T>): Promise<T> {
    const connection = this.#replicas.length > 0 ? this.#reader() : this.#read.share();
    if (connection instanceof Promise) return connection.then((one) => one.exchangeHeld(call));
    return connection.exchangeHeld(call);
  }

  async #change<T>(call: Call<T>): Promise<T> {
    const connection = await this.pool(true).share();
    let reply: Promise<T>;
    let noted: Promise<void> | undefined;
    try {
      for (let opening; (opening = connection.prepare(call));) await opening;
      reply = connection.exchangeNow(call);
      noted = this.noteChange(connection);
    } finally {
      connection.letGo();
    }
    if (noted) await Promise.allSettled([reply, noted]);
    return reply;
  }
}
