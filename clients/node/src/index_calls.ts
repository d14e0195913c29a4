/** Calls that are right for some columns of an index alone. */
import { listOf, type In } from "./arguments.js";
import type { TablePlace } from "./connection.js";
import type { Executor, Plan } from "./dispatcher.js";
import { NotFoundError, ValueError } from "./errors.js";
import type { WireIn } from "./protocol/requests.js";
import { toWire } from "./values.js";
import { indexes, partsOf, type IndexInfo } from "./schema.js";

/** The index has other columns by now: it was dropped, and made again under its name. */
class Altered extends Error {}

/** Sends such calls, and asks what the index is like together with each of them. */
export class IndexCalls {
  readonly #executor: Executor;
  readonly #place: TablePlace;
  readonly #index: string;
  #parts: readonly IndexInfo[] = [];

  constructor(executor: Executor, place: TablePlace, index: string) {
    this.#executor = executor;
    this.#place = place;
    this.#index = index;
  }

  /**
   * Does work that is made for the columns that the index is known to have: again while it turns out to have
   * others. Work that cannot be done again fails then.
   */
  async known<T>(work: (parts: readonly IndexInfo[]) => Promise<T>, again = true): Promise<T> {
    for (;;) {
      try {
        return await work(again ? await this.know() : this.#parts);
      } catch (error) {
        if (!(error instanceof Altered)) throw error;
        if (!again) throw new NotFoundError(2, "idxnum");
      }
    }
  }

  /** The place of a column in the index. Asks anew where it is not known: it may be new. */
  async part(column: string): Promise<number> {
    const place = (parts: readonly IndexInfo[]): number =>
      parts.findIndex((info) => info.column === column);
    const known = place(await this.know());
    if (known >= 0) return known;
    this.#executor.schemas.forget(this.#place);
    const part = place(await this.know());
    if (part < 0) throw new ValueError(`the index has no column ${column}`);
    return part;
  }

  /** Carries out what is planned for a list of values of one of the columns. */
  async listed<T>(list: In, all: boolean, made: (list: WireIn) => Plan<T>): Promise<T> {
    const { column } = list;
    const values = listOf(list.values, "the values of in").map(toWire);
    if (this.#executor.collects) {
      return this.#executor.submit(async () => {
        this.#executor.schemas.forget(this.#place); // Nothing can be asked behind it.
        return made({ part: await this.part(column), values, all })();
      });
    }
    return this.known(async () => {
      const part = await this.part(column);
      return this.one(() => this.#executor.submit(made({ part, values, all })));
    });
  }

  /** The result of a call. */
  async one<T>(send: () => Promise<T>): Promise<T> {
    const asked = indexes(this.#place.database, this.#place.table);
    const [result, told] = await Promise.allSettled([
      send(),
      this.#executor.submit(() => asked),
    ] as const);
    if (told.status === "fulfilled" && !this.#is(told.value)) throw new Altered();
    if (result.status === "rejected") throw result.reason;
    if (told.status === "rejected") throw told.reason;
    return result.value;
  }

  /** Whether the index has the columns that it is known to have. */
  async isAsKnown(): Promise<boolean> {
    const asked = indexes(this.#place.database, this.#place.table);
    return this.#is(await this.#executor.submit(() => asked));
  }

  /** The columns of the index, which the calls from now on are made for. */
  async know(): Promise<readonly IndexInfo[]> {
    const { database, table } = this.#place;
    return (this.#parts = await this.#executor.schemas.index(database, table, this.#index));
  }

  #is(told: readonly IndexInfo[]): boolean {
    const same = JSON.stringify(partsOf(told, this.#index)) === JSON.stringify(this.#parts);
    if (!same) this.#executor.schemas.forget(this.#place);
    return same;
  }
}
