/** The options of a client, and where they come from: objects, URLs, the environment, a file. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "./errors.js";

/**
 * Called behind each request, with its kind (`get`, `insert`, …), table, duration and error. One that
 * throws is a warning of the process.
 */
export type RequestHook = (
  kind: string,
  table: string,
  seconds: number,
  error: Error | undefined,
) => void;

/** A host and a port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** All options with their values. */
export interface Settings {
  /** The host of both ports. Default: 127.0.0.1. */
  host: string;
  /** The read port. Default: 9998. */
  port: number;
  /** The write port. Default: 9999. */
  writePort: number;
  /** The Unix socket of the read port, in the place of host and port. */
  socket: string | undefined;
  /** The Unix socket of the write port. */
  writeSocket: string | undefined;
  /** The database of tables that are named without one. */
  database: string | undefined;
  /** The account; without one there is no login. */
  user: string | undefined;
  password: string | undefined;
  /** The secret of the ports. */
  secret: string | undefined;
  /** The secret of the write port, where it has another one. */
  writeSecret: string | undefined;
  /** `require`: TLS without looking at the certificate; `verify`: certificate and host name. */
  tls: "off" | "require" | "verify";
  /** File in PEM with the certificates of authorities. Default: those of Node.js. */
  tlsCa: string | undefined;
  /** File in PEM with the client's certificate. */
  tlsCert: string | undefined;
  /** File in PEM with the client's key. */
  tlsKey: string | undefined;
  /** The name that the server's certificate must have. Default: the host. */
  tlsName: string | undefined;
  /** Seconds for connection, TLS and login together. Default: 5. */
  connectTimeout: number;
  /** Seconds for a request, or for a whole pipeline; 0: none. Default: 30. */
  timeout: number;
  /** Connections to each place, at most. Default: 16. */
  poolSize: number;
  /** Seconds after which a connection that is not used is closed; 0: never. Default: 60. */
  maxIdle: number;
  /** What operators see of this client. */
  name: string;
  /** Read ports that take the reads in turns. */
  replicas: readonly Address[];
  /** Whether a read on a replica waits for the client's own last change. */
  readYourWrites: boolean;
  /** Seconds for that; then the primary is asked. Default: 1. */
  gtidTimeout: number;
  /** How often a request that is safe to repeat is sent again. Default: 2. */
  retries: number;
  /** The most bytes of one reply. Default: 64 MiB. */
  maxReply: number;
  /** Whether BIGINT columns always give a BigInt; else only numbers beyond 2^53 do. */
  bigint: boolean;
  /** Called behind each request, for metrics. */
  onRequest: RequestHook | undefined;
}

/** Options for {@link connect}; what is left out has its default. */
export type Options = Partial<Settings>;

/** This client's version. */
export const VERSION = "2.0.0";

const defaults: Settings = {
  host: "127.0.0.1",
  port: 9998,
  writePort: 9999,
  socket: undefined,
  writeSocket: undefined,
  database: undefined,
  user: undefined,
  password: undefined,
  secret: undefined,
  writeSecret: undefined,
  tls: "off",
  tlsCa: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  tlsName: undefined,
  connectTimeout: 5,
  timeout: 30,
  poolSize: 16,
  maxIdle: 60,
  name: `handlersocket2-node/${VERSION}`,
  replicas: [],
  readYourWrites: false,
  gtidTimeout: 1,
  retries: 2,
  maxReply: 64 * 1024 * 1024,
  bigint: false,
  onRequest: undefined,
};

type Check = (name: string, value: unknown) => void;

function fail(name: string, what: string): never {
  throw new ConfigurationError(`the option ${name} ${what}`);
}

function matching(form: RegExp, what: string): Check {
  return (name, value) => {
    if (typeof value !== "string" || !form.test(value)) fail(name, `must be ${what}`);
  };
}
const text = matching(/^[^\0]+$/, "text of one character or more, without NUL");
const secret = matching(/^[^\0]*$/, "text without NUL");
const clientName = matching(
  /^[^\x00-\x1f\x7f]+$/,
  "text of one character or more, without control characters",
);
const truth: Check = (name, value) => {
  if (typeof value !== "boolean") fail(name, "must be true or false");
};
function between(least: number, most: number, whole: boolean): Check {
  return (name, value) => {
    const fits = typeof value === "number" && value >= least && value <= most;
    if (!fits || (whole && !Number.isInteger(value))) {
      fail(name, `must be ${whole ? "a whole number" : "seconds"} from ${least} to ${most}`);
    }
  };
}
const port = between(1, 65535, true);
const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) < 65536;
const isText = (value: unknown): boolean => typeof value === "string" && /^[^\0]+$/.test(value);
const MOST_REPLICAS = 32;
const seconds = between(0, 1e6, false);

const checks: Record<keyof Settings, Check> = {
  host: text,
  port,
  writePort: port,
  socket: text,
  writeSocket: text,
  database: text,
  user: text,
  password: secret,
  secret,
  writeSecret: secret,
  tls: (name, value) => {
    if (!["off", "require", "verify"].includes(value as string)) {
      fail(name, "must be off, require or verify");
    }
  },
  tlsCa: text,
  tlsCert: text,
  tlsKey: text,
  tlsName: text,
  connectTimeout: seconds,
  timeout: seconds,
  poolSize: between(1, 65535, true),
  maxIdle: seconds,
  name: clientName,
  replicas: (name, value) => {
    const addresses = Array.isArray(value)
      ? (value as (Partial<Address> | null | undefined)[])
      : [];
    const good = addresses.every((one) => one && isText(one.host) && isPort(one.port));
    if (!Array.isArray(value) || !good || addresses.length > MOST_REPLICAS) {
      fail(name, `must be a list of host:port, ${MOST_REPLICAS} at most`);
    }
  },
  readYourWrites: truth,
  gtidTimeout: between(0, 600, false),
  retries: between(0, 1000, true),
  maxReply: between(1, 2 ** 30, true),
  bigint: truth,
  onRequest: (name, value) => {
    if (typeof value !== "function") fail(name, "must be a function");
  },
};

/** Checks the value of one, which is told by the name that stands where it was given. */
export function check(option: keyof Settings, name: string, value: unknown): void {
  checks[option](name, value);
}

/** Checks options and fills in the defaults. Throws a ConfigurationError that names the option. */
export function settle(options: Options): Settings {
  const settings: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) fail(name, "is unknown");
    check(name as keyof Settings, name, value);
    settings[name] = value;
  }
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    throw new ConfigurationError("tls_cert and tls_key belong together");
  }
  return settings as unknown as Settings;
}

/** What the environment has for options that are not given. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Options {
  const options: Options = {};
  if (environment.HS_PASSWORD !== undefined) options.password = environment.HS_PASSWORD;
  if (environment.HS_SECRET !== undefined) options.secret = environment.HS_SECRET;
  return options;
}

/** The lines of the group `[hs]` of the option file; none when `~/.hs.cnf` does not exist. */
export function optionFileLines(environment: NodeJS.ProcessEnv): [string, string][] {
  const named = environment.HS_OPTION_FILE ?? "";
  const file = named === "" ? join(homedir(), ".hs.cnf") : named;
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    if (named === "" && (error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new ConfigurationError(`the option file ${file} cannot be read`, { cause: error });
  }
  if (content.includes(0)) throw new ConfigurationError(`the option file ${file} has a NUL byte`);
  try {
    return groupOf(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigurationError("the option file is no UTF-8", { cause: error });
  }
}

/** `trim` would take more than blanks. */
function trimmed(text: string): string {
  return text.replace(/^[ \t\r\v\f]+|[ \t\r\v\f]+$/g, "");
}

function groupOf(content: string): [string, string][] {
  const lines: [string, string][] = [];
  let group: string | undefined;
  for (const line of content.split("\n").map(trimmed)) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    if (line.startsWith("!")) {
      throw new ConfigurationError(`${line} of the option file: no other file is included`);
    }
    if (line.startsWith("[")) {
      const [name = "", ...rest] = line.slice(1).split("]");
      if (rest.length === 0) throw new ConfigurationError("a group of the option file has no ]");
      group = trimmed(`[${name}`).slice(1).toLowerCase();
      continue;
    }
    if (group === undefined) {
      throw new ConfigurationError("a line of the option file stands before the first group");
    }
    if (group !== "hs") continue;
    const [name = "", ...value] = line.split("=");
    if (value.length === 0) throw new ConfigurationError(`no value in the option file: ${line}`);
    lines.push([trimmed(name), trimmed(value.join("="))]);
  }
  return lines;
}
