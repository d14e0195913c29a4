/** Reads options from text: URLs, and the lines of an option file. */
import { isIPv6 } from "node:net";
import { ConfigurationError } from "./errors.js";
import { check, fromEnvironment, optionFileLines, settle } from "./options.js";
import type { Address, Options, Settings } from "./options.js";

type Reader = (name: string, value: string) => unknown;

const asText: Reader = (_, value) => value;

// NaN is refused with what the number may be.
const asWhole: Reader = (_, value) => (/^\d{1,10}$/.test(value) ? Number(value) : NaN);

const asSeconds: Reader = (_, value) => (/^\d{1,10}(?:\.\d+)?$/.test(value) ? Number(value) : NaN);

const onOff: Reader = (name, value) => {
  if (value !== "on" && value !== "off") {
    throw new ConfigurationError(`the option ${name} must be on or off`);
  }
  return value === "on";
};

const addresses: Reader = (_, value) =>
  value.split(",").map((part): Address => {
    const [, bracketed, plain, port] =
      /^(?:\[([^\]]+)\]|([^:[\]\s/]+)):(\d{1,5})$/.exec(part) ?? [];
    const host = bracketed !== undefined && !isIPv6(bracketed) ? "" : (bracketed ?? plain ?? "");
    return { host, port: Number(port) }; // The check refuses what is missing.
  });

const textOptions: Record<string, [keyof Settings, Reader]> = {
  host: ["host", asText],
  port: ["port", asWhole],
  write_port: ["writePort", asWhole],
  socket: ["socket", asText],
  write_socket: ["writeSocket", asText],
  database: ["database", asText],
  user: ["user", asText],
  password: ["password", asText],
  secret: ["secret", asText],
  write_secret: ["writeSecret", asText],
  tls: ["tls", asText],
  tls_ca: ["tlsCa", asText],
  tls_cert: ["tlsCert", asText],
  tls_key: ["tlsKey", asText],
  tls_name: ["tlsName", asText],
  connect_timeout: ["connectTimeout", asSeconds],
  timeout: ["timeout", asSeconds],
  pool_size: ["poolSize", asWhole],
  max_idle: ["maxIdle", asSeconds],
  name: ["name", asText],
  replicas: ["replicas", addresses],
  read_your_writes: ["readYourWrites", onOff],
  gtid_timeout: ["gtidTimeout", asSeconds],
  retries: ["retries", asWhole],
  max_reply: ["maxReply", asWhole],
};

function fromLines(lines: Iterable<[string, string]>): Options {
  const options: Record<string, unknown> = {};
  for (const [name, value] of lines) {
    if (!Object.hasOwn(textOptions, name)) {
      throw new ConfigurationError(`the option ${name} is unknown`);
    }
    const [key, read] = textOptions[name] as [keyof Settings, Reader];
    if (key in options) throw new ConfigurationError(`the option ${name} is given twice`);
    options[key] = read(name, value);
    check(key, name, options[key]);
  }
  return options;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new ConfigurationError("the URL has a wrong percent-encoding", { cause: error });
  }
}

const SHAPE =
  /^(hs|hs\+unix):\/\/(?:([^@/?#:]*)(?::([^@/?#]*))?@)?(\[[0-9a-fA-F:.]+\]|[^/?#:@[\]]*)(?::([^/?#@]*))?(\/[^?#]*)?(?:\?([^#]*))?$/;

/** The options of a URL. Throws a ConfigurationError that tells what is wrong with it. */
export function parseUrl(url: string): Options {
  const match = /[\s\x00-\x1f]/.test(url) ? null : SHAPE.exec(url);
  if (!match) throw new ConfigurationError("this is no URL of the form hs://host:port");
  const [, scheme, user, password, host = "", port, path = "", query = ""] = match;
  const lines: [string, string][] = [];
  if (user !== undefined) lines.push(["user", decode(user)]);
  if (password !== undefined) lines.push(["password", decode(password)]);
  if (scheme === "hs+unix") {
    if (host !== "" || port !== undefined || path.length < 2) {
      throw new ConfigurationError("a URL of a Unix socket is hs+unix:///path");
    }
    lines.push(["socket", decode(path)]);
  } else {
    const inner = host.startsWith("[") ? host.slice(1, -1) : undefined;
    if (inner !== undefined && !isIPv6(inner))
      throw new ConfigurationError(`host: ${inner} is no IPv6 address`);
    if (host !== "") lines.push(["host", inner ?? decode(host)]);
    if (port !== undefined) lines.push(["port", port]);
    if (path.length > 1) lines.push(["database", decode(path.slice(1))]);
  }
  for (const part of query === "" ? [] : query.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (value.length === 0) throw new ConfigurationError(`the option ${decode(name)} has no value`);
    lines.push([decode(name), decode(value.join("="))]);
  }
  return fromLines(lines);
}

// A URL says where the server is; then the file does not.
const place: readonly string[] = ["host", "port", "writePort", "socket", "writeSocket"];

/** The settings for what {@link connect} was given, with environment and option file behind it. */
export function settingsOf(
  given: string | Options | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Settings {
  const source = given ?? environment.HS_URL ?? {};
  if (!["string", "object"].includes(typeof source)) {
    throw new ConfigurationError("connect takes a URL or options");
  }
  const options = typeof source === "string" ? parseUrl(source) : source;
  const file = Object.entries(fromLines(optionFileLines(environment)));
  return settle({
    ...Object.fromEntries(
      file.filter(([name]) => typeof source !== "string" || !place.includes(name)),
    ),
    ...fromEnvironment(environment),
    ...Object.fromEntries(
      Object.entries(options).filter(([, value]) => (value as unknown) !== undefined),
    ),
  });
}
