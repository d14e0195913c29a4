/**
 * The connections to one place.
 *
 * Calls share connections: their requests go out together, and a further connection is opened only
 * when all have many requests under way. A transaction leases a connection for itself.
 */
import { dial, type Connection } from "./connection.js";
import { ConnectionError, TimeoutError } from "./errors.js";
import type { Settings } from "./options.js";
import { placeName, type Place } from "./socket.js";

/** From so many requests under way on, another connection takes a part. */
const BUSY = 64;

interface Waiter {
  readonly exclusive: boolean;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** At most `poolSize` connections, opened when they are needed. */
export class Pool {
  readonly #place: Place;
  readonly #settings: Settings;
  #shared: Connection[] = [];
  readonly #leased = new Set<Connection>();
  /** Those that take no more requests, and wait for answers. */
  readonly #ending = new Set<Connection>();
  #dialing = 0;
  #waiters: Waiter[] = [];
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(place: Place, settings: Settings) {
    this.#place = place;
    this.#settings = settings;
  }

  /** How many connections there are, those that are being opened included. */
  get size(): number {
    return this.#shared.length + this.#leased.size + this.#ending.size + this.#dialing;
  }

  /** The connection with the fewest requests under way, to be shared with others. The caller holds it. */
  share(): Connection | Promise<Connection> {
    let best: Connection | undefined;
    for (const one of this.#shared) {
      if (best === undefined || one.session.pending < best.session.pending) best = one;
    }
    if (best === undefined) return this.#wait(false);
    if (best.session.pending >= BUSY && this.#dialing === 0) this.#grow();
    return best.hold();
  }

  /** A connection for one user alone, who gives it back by {@link release}. */
  async lease(): Promise<Connection> {
    for (;;) {
      const idle = this.#shared.find((one) => one.isQuiet);
      const full = this.size >= this.#settings.poolSize;
      const taken = idle ?? (full ? this.#shared[0] : undefined);
      if (taken) this.#takeOut(taken);
      const leased = taken ?? (await this.#wait(true));
      await leased.becomesQuiet();
      // It may have ended with the last call of those who shared it.
      if (leased.session.alive) return leased;
    }
  }

  /** Takes a leased connection back. */
  release(connection: Connection): void {
    if (this.#leased.delete(connection)) this.#give(connection);
  }

  /** Closes all connections. Calls that are under way fail. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    this.#refuse(new ConnectionError("the client is closed"));
    const all = [...this.#shared, ...this.#leased, ...this.#ending];
    for (const one of all) one.session.close();
  }

  async #wait(exclusive: boolean): Promise<Connection> {
    if (this.#closed) throw new ConnectionError("the client is closed");
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Connection>((resolve, reject) => {
        const waiter = { exclusive, resolve, reject };
        this.#waiters.push(waiter);
        timer = this.#limit(waiter);
        const alone = this.#waiters.filter((one) => one.exclusive).length;
        const shared = alone < this.#waiters.length ? 1 : 0;
        if (this.#dialing < alone + shared) this.#grow();
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #limit(waiter: Waiter): NodeJS.Timeout | undefined {
    if (this.#settings.timeout === 0) return undefined;
    return setTimeout(() => {
      this.#waiters = this.#waiters.filter((one) => one !== waiter);
      waiter.reject(new TimeoutError("no connection of the pool has become free in time"));
    }, this.#settings.timeout * 1000);
  }

  #grow(): void {
    if (this.#closed || this.size >= this.#settings.poolSize) return;
    this.#dialing++;
    dial(this.#place, this.#settings).then(
      (connection) => {
        this.#dialing--;
        this.#adopt(connection);
      },
      (error: unknown) => {
        this.#dialing--;
        this.#refuse(error);
      },
    );
  }

  #adopt(connection: Connection): void {
    if (this.#closed) {
      connection.session.close();
      return;
    }
    if (!connection.session.alive) {
      this.#refuse(new ConnectionError(`${placeName(this.#place)} has closed the connection`));
      return;
    }
    connection.session.onLast = () => {
      this.#forget(connection);
      this.#ending.add(connection);
    };
    connection.session.onEnd = () => {
      this.#forget(connection);
      if (this.#waiters.length > 0) this.#grow();
    };
    this.#sweep();
    this.#give(connection);
  }

  #give(connection: Connection): void {
    const [first] = this.#waiters;
    if (first?.exclusive) {
      this.#lend(connection);
      return;
    }
    this.#shared.push(connection);
    const sharing = this.#waiters.filter((one) => !one.exclusive);
    this.#waiters = this.#waiters.filter((one) => one.exclusive);
    for (const one of sharing) one.resolve(connection.hold());
    if (this.#waiters.length === 0 || this.#dialing > 0) return;
    if (this.size < this.#settings.poolSize) this.#grow();
    else this.#lend(connection);
  }

  /** Gives a connection to the first of those who wait, for one alone. */
  #lend(connection: Connection): void {
    this.#takeOut(connection);
    this.#waiters.shift()?.resolve(connection);
  }

  #forget(connection: Connection): void {
    this.#shared = this.#shared.filter((one) => one !== connection);
    this.#leased.delete(connection);
    this.#ending.delete(connection);
  }

  #takeOut(connection: Connection): void {
    this.#shared = this.#shared.filter((one) => one !== connection);
    this.#leased.add(connection);
  }

  #refuse(error: unknown): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const one of waiters) one.reject(error);
  }

  #sweep(): void {
    const idleMs = this.#settings.maxIdle * 1000;
    if (this.#sweeper !== undefined || idleMs === 0) return;
    this.#sweeper = setInterval(() => {
      const oldest = performance.now() - idleMs;
      for (const { session } of this.#shared) {
        if (session.pending === 0 && session.lastUsed <= oldest) session.close();
      }
    }, idleMs / 2);
    this.#sweeper.unref();
  }
}
