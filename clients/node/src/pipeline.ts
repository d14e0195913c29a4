/** Calls that are collected and sent in one piece. */
import type { Call } from "./connection.js";
import type { Dispatcher, Executor, Plan } from "./dispatcher.js";
import { Table } from "./table.js";
import type { TableOptions } from "./table_calls.js";
import { tableSpec, type TableName } from "./names.js";
import type { Row } from "./values.js";

interface Entry {
  readonly plan: Plan<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What a pipeline block collects its calls by. */
export class Pipeline implements Executor {
  readonly #dispatcher: Dispatcher;
  readonly #entries: Entry[] = [];

  /** @internal */
  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** @internal */
  get schemas(): Dispatcher["schemas"] {
    return this.#dispatcher.schemas;
  }

  /** @internal */
  get database(): string | undefined {
    return this.#dispatcher.database;
  }

  /** A table whose calls are collected. They are answered behind the end of the block. */
  table<R = Row>(table: TableName, options: TableOptions = {}): Table<R> {
    return new Table<R>(this, tableSpec(this.database, table, options));
  }

  /** @internal */
  submit<T>(plan: Plan<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#entries.push({ plan, resolve: resolve as (value: unknown) => void, reject });
    });
    // The error is in the list of results, too.
    result.catch(() => undefined);
    return result;
  }

  /** @internal Sends everything, and gives a value or an error for each call. */
  async finish(): Promise<unknown[]> {
    const plans = await Promise.allSettled(this.#entries.map(async ({ plan }) => plan()));
    const calls = plans.flatMap((plan): Call<unknown>[] =>
      plan.status === "fulfilled" ? [plan.value] : [],
    );
    const outcomes = calls.length === 0 ? [] : await this.#dispatcher.runAll(calls);
    let next = 0;
    return Promise.all(
      plans.map(async (plan, place) => {
        const entry = this.#entries[place] as Entry;
        const outcome = plan.status === "fulfilled" ? outcomes[next++] : plan;
        const result =
          outcome?.status === "fulfilled"
            ? Promise.resolve(outcome.value)
            : Promise.reject(outcome?.reason as Error);
        const seen =
          plan.status === "fulfilled" ? this.#dispatcher.observed(plan.value, result) : result;
        return seen.then(
          (value: unknown) => {
            entry.resolve(value);
            return value;
          },
          (error: unknown) => {
            entry.reject(error);
            return error;
          },
        );
      }),
    );
  }
}
