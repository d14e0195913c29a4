/** A client of one server and its replicas. */
import { functionOf, listOf } from "./arguments.js";
import { Dispatcher } from "./dispatcher.js";
import { ValueError } from "./errors.js";
import { splitName, tableSpec, type TableName } from "./names.js";
import type { Options } from "./options.js";
import { Pipeline } from "./pipeline.js";
import { hasCount, isOne, type Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import * as schema from "./schema.js";
import { Table } from "./table.js";
import type { TableOptions } from "./table_calls.js";
import { Transaction, type TransactionOptions } from "./transaction.js";
import { settingsOf } from "./url.js";
import type { Row } from "./values.js";

/** Safe for any number of tasks. Nothing is opened before it is needed. */
export class Client {
  readonly #dispatcher: Dispatcher;

  /** @param given a URL or options; without them the environment and the option file tell */
  constructor(given?: string | Options) {
    this.#dispatcher = new Dispatcher(settingsOf(given));
  }

  /** A table by one of its indexes. */
  table<R = Row>(table: TableName, options: TableOptions = {}): Table<R> {
    const dispatcher = this.#dispatcher;
    return new Table<R>(dispatcher, tableSpec(dispatcher.database, table, options));
  }

  /**
   * Collects the calls that the block makes, and sends them in one piece.
   *
   * @returns a value or an error for each call, in order. The promise of a call inside the block is
   *   settled only behind the block, which must not wait for it.
   */
  async pipeline(block: (pipeline: Pipeline) => void | Promise<void>): Promise<unknown[]> {
    const collect = functionOf(block, "the block of a pipeline");
    const pipeline = new Pipeline(this.#dispatcher);
    await collect(pipeline);
    return pipeline.finish();
  }

  /** Commits at the end of the block, and rolls back when it fails. */
  async transaction<T>(
    block: (transaction: Transaction) => T | Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const work = functionOf(block, "the block of a transaction");
    const transaction = await this.begin(options);
    let result: T;
    try {
      result = await work(transaction);
    } catch (error) {
      // The block's error is the one to tell; a rollback that fails ends with the connection.
      if (transaction.isOpen) await transaction.rollback().catch(() => undefined);
      throw error;
    }
    if (transaction.isOpen) await transaction.commit();
    return result;
  }

  /** Begins a transaction that the caller ends by `commit` or `rollback`. */
  begin(options: TransactionOptions = {}): Promise<Transaction> {
    return Transaction.begin(this.#dispatcher, options);
  }

  /** The GTID of this client's last change; empty before the first one. */
  lastGtid(): Promise<string> {
    return this.#dispatcher.lastGtid();
  }

  /** Waits until the server that reads go to has applied GTIDs, and tells whether it has. */
  waitForGtid(gtid: string, seconds: number): Promise<boolean> {
    return this.#dispatcher.submit(() => ({
      kind: "waitForGtid",
      changes: false,
      feature: "gtid",
      line: () => requests.waitGtid(gtid, Math.round(seconds * 1000)),
      check: hasCount,
      read: isOne,
      extraSeconds: seconds,
    }));
  }

  /** The databases, or the tables of a database. */
  describe(): Promise<schema.DatabaseInfo[]>;
  describe(database: string): Promise<schema.TableInfo[]>;
  describe(database?: string): Promise<unknown[]> {
    return this.#dispatcher.submit<unknown[]>(() =>
      database === undefined ? schema.databases() : schema.tables(database),
    );
  }

  /** The columns of a table. */
  describeTable(table: string): Promise<schema.ColumnInfo[]> {
    return this.#dispatcher.submit(() => schema.columns(...this.#split(table)));
  }

  /** The indexes of a table, one object for each of their columns. */
  indexes(table: string): Promise<schema.IndexInfo[]> {
    return this.#dispatcher.submit(() => schema.indexes(...this.#split(table)));
  }

  /** Asks the read port for a sign of life. */
  async ping(): Promise<void> {
    await this.features();
  }

  /** The features of the server. */
  async features(): Promise<string[]> {
    try {
      const reply = await this.#hello();
      return reply.columns === 6 ? (reply.values[4] ?? "").split(",") : [];
    } catch (error) {
      if (error instanceof Error && "text" in error && error.text === "cmd") return [];
      throw error;
    }
  }

  /** Sends one line of tokens as they are, on a connection of its own, and closes that. */
  async raw(port: "read" | "write", tokens: readonly string[]): Promise<Reply> {
    if (!["read", "write"].includes(port)) throw new ValueError("a port is read or write");
    const line = requests.raw(listOf(tokens, "tokens"));
    const connection = await this.#dispatcher.pool(port === "write").lease();
    try {
      const { timeout } = this.#dispatcher.settings;
      return await connection.session.send(line, timeout, ({ code, columns, count, values }) => ({
        code,
        columns,
        count,
        values,
      }));
    } finally {
      // What it has opened or begun would be in the way of others.
      connection.session.close();
    }
  }

  /** Closes all connections. Calls that are under way fail with a ConnectionError. */
  close(): void {
    this.#dispatcher.close();
  }

  #split(table: string): [string, string] {
    return splitName(this.#dispatcher.database, table);
  }

  #hello(): Promise<Reply> {
    return this.#dispatcher.submit(() => ({
      kind: "ping",
      changes: false,
      line: () => requests.hello(2, this.#dispatcher.settings.name),
      check: ({ columns }: Reply) => columns === 6 || columns === 3,
      read: (reply: Reply) => reply,
    }));
  }
}

/** Makes a client. Throws a ConfigurationError for an option that cannot be used. */
export function connect(given?: string | Options): Client {
  return new Client(given);
}
