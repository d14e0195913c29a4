/** Calls that are collected and sent in one piece. */
import type { Call, Outcome } from "./connection.js";
import type { Dispatcher, Executor, Plan } from "./dispatcher.js";
import { Table } from "./table.js";
import type { TableOptions } from "./table_calls.js";
import { tableSpec, type TableName } from "./names.js";
import type { Row } from "./values.js";

interface Entry {
  readonly plan: Plan<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  result?: Promise<unknown>;
}

/** The error of a call is in the list of results, too, so that nobody has to look at its promise. */
function refuse(entry: Entry, reason: unknown): void {
  entry.result?.catch(() => undefined);
  entry.reject(reason);
}

/** What a pipeline block collects its calls by. */
export class Pipeline implements Executor {
  readonly isAlone = false;
  readonly collects = true;
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
    let entry: Entry | undefined;
    const result = new Promise<T>((resolve, reject) => {
      entry = { plan, resolve: resolve as (value: unknown) => void, reject };
      this.#entries.push(entry);
    });
    if (entry) entry.result = result;
    return result;
  }

  /** @internal Sends everything, and gives a value or an error for each call. */
  async finish(): Promise<unknown[]> {
    const begin = performance.now();
    const plans = await settled(this.#entries.map(({ plan }) => attempt(plan)));
    const calls = plans.flatMap((plan) => (plan.status === "fulfilled" ? [plan.value] : []));
    const outcomes = calls.length === 0 ? [] : await this.#dispatcher.runAll(calls);
    let next = 0;
    return plans.map((plan, place) => {
      const entry = this.#entries[place] as Entry;
      if (plan.status === "rejected") {
        refuse(entry, plan.reason);
        return plan.reason as unknown;
      }
      const outcome = outcomes[next++] as Outcome;
      const failed = outcome.status === "rejected";
      this.#dispatcher.tell(plan.value, begin, failed ? outcome.reason : undefined);
      if (failed) refuse(entry, outcome.reason);
      else entry.resolve(outcome.value);
      return failed ? (outcome.reason as unknown) : outcome.value;
    });
  }
}

type Planned = PromiseSettledResult<Call<unknown>>;

function attempt(plan: Plan<unknown>): Planned | Promise<Call<unknown>> {
  try {
    const made = plan();
    return made instanceof Promise ? made : { status: "fulfilled", value: made };
  } catch (reason) {
    return { status: "rejected", reason };
  }
}

/** Waits for the plans that are promises; most are none. */
async function settled(plans: (Planned | Promise<Call<unknown>>)[]): Promise<Planned[]> {
  const waiting = await Promise.allSettled(plans.filter((plan) => plan instanceof Promise));
  let next = 0;
  return plans.map((plan) => (plan instanceof Promise ? (waiting[next++] as Planned) : plan));
}
