/** A transaction, with a connection of its own. */
import { refuseUnknown } from "./arguments.js";
import { readChecked, type Call, type Connection } from "./connection.js";
import type { Dispatcher, Executor, Plan } from "./dispatcher.js";
import { ConnectionError, ServerError, UnsupportedError, ValueError } from "./errors.js";
import { tableSpec, type TableName } from "./names.js";
import type { Pool } from "./pool.js";
import type { ByteString } from "./protocol/bytes.js";
import { hasNothing, type Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { Table } from "./table.js";
import type { TableOptions } from "./table_calls.js";
import type { Row } from "./values.js";

/** How a transaction begins. */
export interface TransactionOptions {
  /** READ UNCOMMITTED, READ COMMITTED, REPEATABLE READ, SERIALIZABLE. Default: the server's. */
  readonly isolation?: "RU" | "RC" | "RR" | "SR" | undefined;
  /** Whether it only reads; it is then on the read port. */
  readonly readOnly?: boolean | undefined;
}

/** Calls are carried out in the order in which they are made. */
export class Transaction implements Executor {
  readonly isAlone = false;
  readonly collects = false;
  readonly #dispatcher: Dispatcher;
  readonly #pool: Pool;
  readonly #connection: Connection;
  #tail: Promise<unknown> = Promise.resolve();
  #open = true;
  #changed = false;

  private constructor(dispatcher: Dispatcher, pool: Pool, connection: Connection) {
    this.#dispatcher = dispatcher;
    this.#pool = pool;
    this.#connection = connection;
  }

  /** @internal */
  static async begin(dispatcher: Dispatcher, options: TransactionOptions): Promise<Transaction> {
    refuseUnknown("begin", options);
    const line = requests.begin(options.isolation, options.readOnly);
    const pool = dispatcher.pool(!options.readOnly);
    for (let attempt = 0; ; attempt++) {
      const connection = await pool.lease();
      const transaction = new Transaction(dispatcher, pool, connection);
      try {
        if (!connection.has("transaction")) {
          throw new UnsupportedError("the server has no transaction");
        }
        const begun = { check: hasNothing, read: () => undefined };
        const read = (reply: Reply): void => readChecked(reply, begun);
        await connection.session.send(line, dispatcher.settings.timeout, read);
        return transaction;
      } catch (error) {
        // What a `T B` that failed leaves behind ends with the connection.
        if (error instanceof ServerError) connection.session.close();
        pool.release(connection);
        const unsent = error instanceof ConnectionError && !error.sent;
        if (!unsent || attempt >= dispatcher.settings.retries) throw error;
      }
    }
  }

  /** @internal */
  get schemas(): Dispatcher["schemas"] {
    return this.#dispatcher.schemas;
  }

  /** @internal */
  get database(): string | undefined {
    return this.#dispatcher.database;
  }

  /** A table whose calls are in the transaction. */
  table<R = Row>(table: TableName, options: TableOptions = {}): Table<R> {
    return new Table<R>(this, tableSpec(this.database, table, options));
  }

  /** Sets a savepoint. */
  async savepoint(name: string): Promise<void> {
    await this.#control("savepoint", requests.savepoint(name));
  }

  /** Undoes what was done since the savepoint. */
  async rollbackTo(name: string): Promise<void> {
    await this.#control("rollbackTo", requests.rollbackTo(name));
  }

  /**
   * Keeps everything. After an error nothing was kept, unless it is a ConnectionError that was sent; either way the
   * transaction has ended.
   */
  commit(): Promise<void> {
    return this.#finish("commit", requests.commit);
  }

  /** Undoes everything. */
  rollback(): Promise<void> {
    return this.#finish("rollback", requests.rollback);
  }

  /** @internal */
  submit<T>(plan: Plan<T>): Promise<T> {
    if (!this.#open) return Promise.reject(new ValueError("the transaction has ended"));
    const sent = this.#tail.then(async () => {
      const call = await plan();
      if (call.changes) this.#changed = true;
      for (let opening; (opening = this.#connection.prepare(call));) await opening;
      const reply = this.#connection.exchangeNow(call);
      reply.catch(() => undefined);
      return { call, reply };
    });
    this.#tail = sent.catch(() => undefined);
    return sent.then(({ call, reply }) => {
      const seen = reply.catch((error: unknown) => {
        this.#dispatcher.forgetChanged(call, error);
        throw error;
      });
      return this.#dispatcher.observed(call, seen);
    });
  }

  /** @internal Whether neither commit nor rollback was called. */
  get isOpen(): boolean {
    return this.#open;
  }

  #control(kind: string, line: ByteString): Promise<void> {
    const call: Call<void> = {
      kind,
      changes: false,
      line: () => line,
      check: hasNothing,
      read: () => undefined,
    };
    return this.submit(() => call);
  }

  async #finish(kind: string, line: ByteString): Promise<void> {
    const ended = this.#control(kind, line);
    this.#open = false;
    try {
      await ended;
      if (kind === "commit" && this.#changed) await this.#dispatcher.noteChange(this.#connection);
    } finally {
      this.#pool.release(this.#connection);
    }
  }
}
