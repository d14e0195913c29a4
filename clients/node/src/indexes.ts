/** The indexes that are open on one connection, under ids that the client gives. */
import { ConnectionError, ProtocolError } from "./errors.js";
import { hasNothing, type Reply } from "./protocol/reader.js";
import { open } from "./protocol/requests.js";
import type { Session } from "./session.js";

/** What is opened: an index with the columns that finds give, and those that filters compare. */
export interface IndexSpec {
  readonly database: string;
  readonly table: string;
  readonly index: string;
  readonly columns: readonly string[];
  readonly filterColumns: readonly string[];
  /** All of it as one text, from {@link specKey}. */
  readonly key: string;
}

/**
 * A text that tells a set of names from all others. By the numbers of columns it does so where a
 * name is empty or has a comma, too, which is refused as the index is opened.
 */
export function specKey(spec: Omit<IndexSpec, "key">): string {
  const { database, table, index, columns, filterColumns } = spec;
  const sizes = `${columns.length},${filterColumns.length}`;
  return [database, table, index, sizes, columns.join(","), filterColumns.join(",")].join("\t");
}

/** The most indexes that a connection opens. */
export const MAX_OPEN = 256;

interface Entry {
  readonly id: number;
  used: number;
}

function opened(reply: Reply): void {
  if (!hasNothing(reply)) throw new ProtocolError("a reply to something else than was asked", true);
}

/** The error for calls behind an opening that broke: they were not sent, whatever became of it. */
function notSent(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error instanceof ProtocolError) return error;
  const kind = error.constructor as typeof ConnectionError;
  return new kind(error.message, false, { cause: error.cause });
}

/** Opens each index once, and past {@link MAX_OPEN} in the place of the one unused for longest. */
export class Indexes {
  readonly #session: Session;
  readonly #seconds: number;
  readonly #entries = new Map<string, Entry>();
  readonly #opening = new Map<string, Promise<void>>();
  #free: number[] = [];
  #next = 0;
  #clock = 0;

  constructor(session: Session, seconds: number) {
    this.#session = session;
    this.#seconds = seconds;
  }

  /**
   * The id of an index that is open, or a promise to wait for, after which to ask again.
   *
   * The id is good for what is sent before anything else happens. An index whose opening is not
   * answered yet is not used: were it refused, its id could still mean another index.
   */
  id(spec: IndexSpec): number | Promise<void> {
    const entry = this.#entries.get(spec.key);
    if (entry) {
      entry.used = ++this.#clock;
      return entry.id;
    }
    const opening = this.#opening.get(spec.key) ?? this.#open(spec);
    this.#opening.set(spec.key, opening);
    return opening;
  }

  async #open(spec: IndexSpec): Promise<void> {
    const { database, table, index, columns, filterColumns } = spec;
    let id: number | undefined;
    try {
      while ((id = this.#takeId()) === undefined) await this.#anyOpened();
      const line = open(id, database, table, index, columns, filterColumns);
      await this.#session.send(line, this.#seconds, opened);
      this.#entries.set(spec.key, { id, used: ++this.#clock });
    } catch (error) {
      if (id !== undefined) this.#free.push(id);
      throw notSent(error);
    } finally {
      this.#opening.delete(spec.key);
    }
  }

  /** Ends when one of those that are being opened is, or is refused. */
  #anyOpened(): Promise<void> {
    return Promise.race(
      [...this.#opening.values()].map((opening) => opening.catch(() => undefined)),
    );
  }

  #takeId(): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#next < MAX_OPEN) return this.#next++;
    let oldest: [string, Entry] | undefined;
    for (const pair of this.#entries) {
      if (oldest === undefined || pair[1].used < oldest[1].used) oldest = pair;
    }
    if (oldest === undefined) return undefined;
    this.#entries.delete(oldest[0]);
    return oldest[1].id;
  }
}
