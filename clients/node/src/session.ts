/**
 * One connection: its requests on the way, its timeouts, its end.
 *
 * Everything that is sent in one tick goes out in one write. Replies are matched by their order.
 */
import type { Socket } from "node:net";
import {
  ConnectionError,
  endsConnection,
  HandlerSocketError,
  isLastAnswer,
  ProtocolError,
  TimeoutError,
} from "./errors.js";
import type { ByteString } from "./protocol/bytes.js";
import { errorOf, Reader, type Reply } from "./protocol/reader.js";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** How long to wait, in milliseconds from when it is written; Infinity: without end. */
  readonly patience: number;
  /** Milliseconds of the process's clock; Infinity: none, or not written yet. */
  deadline: number;
  readonly read: (reply: Reply) => unknown;
  written: boolean;
}

/** The longest time that Node.js can wait in one piece. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A connection to one place. */
export class Session {
  /** When the last request was answered, in milliseconds of the process's clock. */
  lastUsed = performance.now();
  /** Features of the server, from its answer to `H`; undefined when it did not tell. */
  features: ReadonlySet<string> | undefined;
  /** GTIDs of which this connection knows that they are applied. */
  applied = "";
  /** Told when it takes no more requests, while some that were sent may still be answered. */
  onLast: () => void = () => undefined;
  /** Told once, when the connection has ended. */
  onEnd: () => void = () => undefined;
  /** Told when no request is under way any more. */
  onIdle: () => void = () => undefined;
  readonly #socket: Socket;
  readonly #reader: Reader;
  #output: ByteString = "";
  #waiting: (Waiting | undefined)[] = [];
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Why it takes no more requests. */
  #error: HandlerSocketError | undefined;
  #ended = false;

  /** @param socket one that is connected; the session owns it from here on */
  constructor(socket: Socket, maxReply: number) {
    this.#socket = socket;
    this.#reader = new Reader(maxReply);
    socket.on("data", (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on("end", () => {
      this.#end("the server has closed the connection");
    });
    socket.on("error", (error) => {
      this.#end(`the connection broke: ${error.message}`, error);
    });
    socket.on("close", () => {
      this.#end("the connection is closed");
    });
  }

  /** Whether requests can be sent. */
  get alive(): boolean {
    return this.#error === undefined;
  }

  /** How many requests have no answer yet. */
  get pending(): number {
    return this.#waiting.length - this.#first;
  }

  /**
   * Sends a line at the end of this tick. The promise gets what is read of the reply, or the error
   * that it is.
   *
   * @param seconds how long to wait for the reply; 0: without end
   * @param read its ProtocolError ends the connection
   * @param signal ends the wait, and leaves the connection as it is
   */
  send<T>(
    line: ByteString,
    seconds: number,
    read: (reply: Reply) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.put(line, seconds, read, resolve, reject, signal);
    });
  }

  /** The same with functions in the place of a promise. Throws where nothing can be sent. */
  put<T>(
    line: ByteString,
    seconds: number,
    read: (reply: Reply) => T,
    done: (result: T) => void,
    reject: (error: unknown) => void,
    signal?: AbortSignal,
  ): void {
    const resolve = done as (result: unknown) => void;
    signal?.throwIfAborted();
    if (this.#error !== undefined) throw this.#unsent();
    const patience = seconds > 0 ? seconds * 1000 : Infinity;
    const waiting = { resolve, reject, patience, deadline: Infinity, read, written: false };
    this.#waiting.push(signal ? abortable(waiting, signal) : waiting);
    if (this.#output === "")
      process.nextTick(() => {
        this.#flush();
      });
    this.#output += line;
  }

  /** Closes the connection. What has no answer yet fails. */
  close(reason = "the client was closed"): void {
    this.#end(reason);
  }

  #unsent(): ConnectionError {
    return new ConnectionError(this.#error?.message ?? "the connection is closed");
  }

  #flush(): void {
    const output = this.#output;
    this.#output = "";
    if (output === "") return;
    const now = performance.now();
    for (let place = this.#waiting.length - 1; place >= this.#first; place--) {
      const waiting = this.#waiting[place];
      if (waiting?.written) break;
      if (waiting) {
        waiting.written = true;
        waiting.deadline = now + waiting.patience;
      }
    }
    if (this.#timer === undefined) this.#arm();
    this.#socket.write(output, "latin1");
  }

  #take(chunk: Buffer): void {
    try {
      this.#reader.push(chunk, (reply) => {
        this.#answer(reply);
      });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail(error);
    }
  }

  #answer(reply: Reply): void {
    const waiting = this.#waiting[this.#first];
    if (!waiting?.written) throw new ProtocolError("a reply without a request", true);
    let error: unknown = errorOf(reply);
    let result: unknown;
    try {
      result = error ?? waiting.read(reply);
    } catch (wrong) {
      if (wrong instanceof ProtocolError) throw wrong;
      error = wrong;
    }
    this.#waiting[this.#first++] = undefined;
    if (error) waiting.reject(error);
    else waiting.resolve(result);
    if (endsConnection(error)) this.#takeNoMore(isLastAnswer(error));
    if (this.#ended) return;
    if (this.#first === this.#waiting.length) {
      this.#waiting = [];
      this.#first = 0;
      if (this.#error !== undefined) {
        this.#end(this.#error.message);
        return;
      }
      this.lastUsed = performance.now();
      this.onIdle();
    } else if (this.#first >= 4096) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Gives up what the server has not done, for sure: what was not written, and, behind its last answer, all. */
  #takeNoMore(isLast: boolean): void {
    const left = this.#waiting.slice(this.#first);
    const written = isLast ? 0 : left.filter((waiting) => waiting?.written).length;
    this.#waiting = left.slice(0, written);
    this.#first = 0;
    this.#output = "";
    this.#error ??= new ConnectionError("the server ends the connection");
    for (const waiting of left.slice(written)) waiting?.reject(this.#unsent());
    this.onLast();
  }

  #arm(): void {
    const deadline = this.#waiting[this.#first]?.deadline ?? Infinity;
    if (deadline === Infinity) {
      // Requests without an end may stand before others: the next send looks again.
      this.#timer = undefined;
      return;
    }
    const wait = Math.min(Math.max(deadline - performance.now(), 0) + 1, MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#look();
    }, wait);
    this.#timer.unref();
  }

  #look(): void {
    const deadline = this.#waiting[this.#first]?.deadline ?? Infinity;
    if (deadline <= performance.now()) {
      this.#fail(new TimeoutError("the server did not answer in time", true));
    } else {
      this.#arm();
    }
  }

  #end(reason: string, cause?: Error): void {
    this.#fail(new ConnectionError(reason, false, { cause }));
  }

  /** Ends everything: a timeout and a wrong reply are the error of the first request alone. */
  #fail(error: ConnectionError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error ??= error;
    this.#output = "";
    clearTimeout(this.#timer);
    this.#socket.destroy();
    const lost = this.#waiting.slice(this.#first);
    this.#waiting = [];
    this.#first = 0;
    const now = performance.now();
    lost.forEach((waiting, place) => {
      waiting?.reject(errorFor(waiting, error, place === 0 || waiting.deadline <= now));
    });
    this.onEnd();
    this.onIdle();
  }
}

function errorFor(waiting: Waiting, error: ConnectionError, own: boolean): ConnectionError {
  if (error instanceof TimeoutError && own) return new TimeoutError(error.message, waiting.written);
  if (error instanceof ProtocolError && own) return error;
  return new ConnectionError(error.message, waiting.written, { cause: error.cause });
}

function abortable(waiting: Waiting, signal: AbortSignal): Waiting {
  const abort = (): void => {
    waiting.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  const settled = <T>(settle: (result: T) => void) => {
    return (result: T): void => {
      signal.removeEventListener("abort", abort);
      settle(result);
    };
  };
  return { ...waiting, resolve: settled(waiting.resolve), reject: settled(waiting.reject) };
}
