/** A connection that is ready for requests: connected, greeted, logged in. */
import { AuthenticationError, ConnectionError, ProtocolError } from "./errors.js";
import { ServerError, TimeoutError, UnsupportedError } from "./errors.js";
import { Indexes, type IndexSpec } from "./indexes.js";
import type { Settings } from "./options.js";
import type { ByteString } from "./protocol/bytes.js";
import { nativePassword } from "./protocol/login.js";
import type { Check, Reply } from "./protocol/reader.js";
import * as requests from "./protocol/requests.js";
import { Session } from "./session.js";
import { openSocket, placeName, type Place } from "./socket.js";

/** Where a table is. */
export interface TablePlace {
  readonly database: string;
  readonly table: string;
}

/** One request, and how its reply is read. */
export interface Call<T> {
  /** The name of the call, for hooks. */
  readonly kind: string;
  readonly table?: TablePlace | undefined;
  /** Whether it changes rows: such a call goes to the write port and is never repeated. */
  readonly changes: boolean;
  /** What the server must be able to do. */
  readonly feature?: string | undefined;
  /** The index to open first. */
  readonly index?: IndexSpec | undefined;
  /** The line, with the id of that index. */
  readonly line: (id: number) => ByteString;
  readonly read: (reply: Reply) => T;
  /** A reply that fails it is one to something else. */
  readonly check: Check;
  readonly signal?: AbortSignal | undefined;
  /** Seconds to wait beyond the client's timeout. */
  readonly extraSeconds?: number | undefined;
}

/** The outcome of a call in a pipeline. */
export type Outcome = PromiseSettledResult<unknown>;

/** Reads a reply to a call. One to something else is a ProtocolError. */
export function readChecked<T>(reply: Reply, call: Pick<Call<T>, "check" | "read">): T {
  if (call.check(reply)) return call.read(reply);
  throw new ProtocolError("a reply to something else than was asked", true);
}

/** A session with its open indexes. */
export class Connection {
  readonly session: Session;
  readonly #indexes: Indexes;
  readonly #seconds: number;
  #holders = 0;
  #whenQuiet: (() => void) | undefined;

  constructor(session: Session, settings: Settings) {
    this.session = session;
    this.#seconds = settings.timeout;
    this.#indexes = new Indexes(session, settings.timeout);
    session.onIdle = () => {
      this.#tellQuiet();
    };
  }

  /** Whether nothing is under way on it, and nobody is about to send something. */
  get isQuiet(): boolean {
    return this.#holders === 0 && this.session.pending === 0;
  }

  /** Notes that somebody is about to send something: no transaction may begin before. */
  hold(): this {
    this.#holders++;
    return this;
  }

  /** Ends what {@link hold} began. */
  letGo(): void {
    this.#holders--;
    this.#tellQuiet();
  }

  /** Ends when it is quiet, for the one who has it alone from then on. */
  async becomesQuiet(): Promise<void> {
    if (this.isQuiet) return;
    await new Promise<void>((resolve) => {
      this.#whenQuiet = resolve;
    });
  }

  #tellQuiet(): void {
    if (this.#whenQuiet && this.isQuiet) this.#whenQuiet();
  }

  /** Whether the server has this feature, as far as it has told. */
  has(feature: string): boolean {
    return this.session.features?.has(feature) ?? true;
  }

  /** Ends when the call's index is open, or fails; undefined when it is open already. */
  prepare(call: Call<unknown>): Promise<void> | undefined {
    if (call.feature !== undefined && !this.has(call.feature)) {
      return Promise.reject(new UnsupportedError(`the server has no ${call.feature}`));
    }
    const id = call.index && this.#indexes.id(call.index);
    return typeof id === "number" ? undefined : id;
  }

  /** The same for many: for each the error by which it cannot be sent, if any. */
  prepareAll(calls: readonly Call<unknown>[]): Promise<unknown[]> | undefined {
    const openings = calls.map((call) => this.prepare(call));
    if (openings.every((opening) => opening === undefined)) return undefined;
    return Promise.all(openings.map(async (opening) => opening?.catch((error: unknown) => error)));
  }

  /** Sends a call, behind the opening of its index where that is needed. */
  exchange<T>(call: Call<T>): Promise<T> {
    const preparing = this.prepare(call);
    if (preparing === undefined) return this.exchangeNow(call);
    return preparing.then(() => this.exchange(call));
  }

  /** The same for one who holds the connection, which is let go when the call is sent. */
  exchangeHeld<T>(call: Call<T>): Promise<T> {
    const preparing = this.prepare(call);
    if (preparing === undefined) {
      const reply = this.exchangeNow(call);
      this.letGo();
      return reply;
    }
    return preparing.then(
      () => this.exchangeHeld(call),
      (error: unknown) => {
        this.letGo();
        throw error;
      },
    );
  }

  /** Sends a call whose index is open. */
  exchangeNow<T>(call: Call<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.put(call, resolve, reject);
    });
  }

  /** The same with functions in the place of a promise. Throws where nothing can be sent. */
  put<T>(call: Call<T>, resolve: (result: T) => void, reject: (error: unknown) => void): void {
    const id = call.index === undefined ? 0 : this.#indexes.id(call.index);
    const extra = this.#seconds > 0 ? (call.extraSeconds ?? 0) : 0;
    const seconds = this.#seconds + extra;
    const read = (reply: Reply): T => readChecked(reply, call);
    this.session.put(call.line(id as number), seconds, read, resolve, reject, call.signal);
  }

  /** The outcomes of calls whose indexes are open, with one promise for all. `failed` is told each error. */
  all(
    calls: readonly Call<unknown>[],
    failed: (call: Call<unknown>, reason: unknown) => void,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    let left = calls.length;
    return new Promise((done) => {
      calls.forEach((call, place) => {
        const settle = (outcome: Outcome): void => {
          if (outcomes[place] !== undefined) return; // The reply to a call that was given up.
          outcomes[place] = outcome;
          if (--left === 0) done(outcomes);
        };
        const resolve = (value: unknown): void => {
          settle({ status: "fulfilled", value });
        };
        const reject = (reason: unknown): void => {
          failed(call, reason);
          settle({ status: "rejected", reason });
        };
        try {
          this.put(call, resolve, reject);
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}

/** The reply as it is. */
export function same(reply: Reply): Reply {
  return reply;
}

function hello(session: Session, settings: Settings): Promise<void> {
  return session.send(requests.hello(2, settings.name), 0, same).then(
    (reply) => {
      const features = reply.columns === 6 ? reply.values[4] : undefined;
      if (features != null) session.features = new Set(features.split(","));
    },
    (error: unknown) => {
      if (!(error instanceof ServerError) || error.text !== "cmd") throw error;
      session.features = new Set();
    },
  );
}

/** Logs in by one line, with the hello in the same piece. */
async function enter(session: Session, settings: Settings, line: ByteString): Promise<Reply> {
  const [entered, greeted] = await Promise.allSettled([
    session.send(line, 0, same),
    hello(session, settings),
  ]);
  if (entered.status === "rejected") throw entered.reason;
  if (greeted.status === "rejected") throw greeted.reason;
  return entered.value;
}

/** False: the port asks for no account. It never gets the password. */
async function logIn(session: Session, settings: Settings, local: boolean): Promise<boolean> {
  const user = settings.user ?? "";
  const password = settings.password ?? "";
  const secure = local || settings.tls === "verify";
  let refused: unknown = new AuthenticationError(3, "authtype");
  let asked = false;
  try {
    const methods = "mysql_native_password,unix_socket";
    const reply = await enter(session, settings, requests.login(user, methods));
    if (reply.columns !== 2) return true;
    asked = true;
    const [method, challenge] = reply.values;
    if (method === "mysql_native_password") {
      const answer = nativePassword(Buffer.from(password), Buffer.from(challenge ?? "", "hex"));
      const last = await enter(session, settings, requests.answer(answer.toString("hex")));
      if (last.columns === 2) throw new ProtocolError("a second challenge", true);
      return true;
    }
  } catch (error) {
    refused = error;
    if (!asked && error instanceof ServerError && error.text === "authtype") return false;
  }
  if (!(refused instanceof AuthenticationError) || !secure || password === "") throw refused;
  await enter(session, settings, requests.password(user, password));
  return true;
}

async function greet(session: Session, place: Place, settings: Settings): Promise<void> {
  if (settings.user !== undefined || settings.password !== undefined) {
    if (await logIn(session, settings, place.path !== undefined)) return;
  }
  if (place.secret !== undefined) {
    await enter(session, settings, requests.secret(place.secret));
  } else {
    await hello(session, settings);
  }
}

/** The error of a greeting, which tells where it was. */
function notGreeted(place: Place, cause: ConnectionError): ConnectionError {
  const what = `no connection to ${placeName(place)}: ${cause.message}`;
  if (!(cause instanceof ProtocolError)) return new ConnectionError(what, false, { cause });
  const hint = "is it HandlerSocket's port, or that of SQL?";
  return new ProtocolError(`${what}; ${hint}`, false, { cause });
}

/** Opens a connection. Throws a ConnectionError, or the ServerError that the server refuses by. */
export async function dial(place: Place, settings: Settings): Promise<Connection> {
  const { socket, connected } = openSocket(place, settings);
  const patience = settings.connectTimeout > 0 ? settings.connectTimeout * 1000 : Infinity;
  const deadline = performance.now() + patience;
  const late = (): void => {
    socket.destroy();
  };
  const timer = patience < Infinity ? setTimeout(late, patience) : undefined;
  let session: Session | undefined;
  try {
    await connected;
    session = new Session(socket, settings.maxReply);
    await greet(session, place, settings);
    return new Connection(session, settings);
  } catch (error) {
    session?.close();
    socket.destroy();
    if (performance.now() >= deadline)
      throw new TimeoutError(`no connection to ${placeName(place)} in time`);
    if (session === undefined || !(error instanceof ConnectionError)) throw error;
    throw notGreeted(place, error);
  } finally {
    clearTimeout(timer);
  }
}
