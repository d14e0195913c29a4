/** Opens sockets: TCP or Unix, plain or TLS. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import * as net from "node:net";
import * as tls from "node:tls";
import { ConfigurationError, ConnectionError } from "./errors.js";
import type { Settings } from "./options.js";

/** One port of one server. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** The Unix socket in the place of both. */
  readonly path: string | undefined;
  readonly secret: string | undefined;
}

/** What a message calls a place. */
export function placeName(place: Place): string {
  return place.path ?? `${place.host}:${place.port}`;
}

function pem(file: string | undefined, option: string): Buffer | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigurationError(`the file of ${option} cannot be read`, { cause: error });
  }
}

function tlsOptions(place: Place, settings: Settings): tls.ConnectionOptions {
  const name = settings.tlsName ?? place.host;
  return {
    secureContext: secureContext(settings),
    rejectUnauthorized: settings.tls === "verify",
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
    servername: net.isIP(name) === 0 ? name : "",
  };
}

function secureContext(settings: Settings): tls.SecureContext {
  const options: tls.SecureContextOptions = {};
  const ca = pem(settings.tlsCa, "tlsCa");
  const cert = pem(settings.tlsCert, "tlsCert");
  const key = pem(settings.tlsKey, "tlsKey");
  if (ca) options.ca = ca;
  if (cert) options.cert = cert;
  if (key) options.key = key;
  try {
    if (ca) new X509Certificate(ca); // A context takes a file without a certificate, and trusts nobody.
    return tls.createSecureContext(options);
  } catch (cause) {
    throw new ConfigurationError("tlsCa, tlsCert or tlsKey cannot be used", { cause });
  }
}

/** Starts to connect; resolves when bytes can be sent. The caller destroys a socket that is late. */
export function openSocket(
  place: Place,
  settings: Settings,
): { socket: net.Socket; connected: Promise<void> } {
  const where = place.path === undefined ? place : { path: place.path };
  // Node.js 18 would try the first address of a name alone: ::1 of localhost.
  const options = { ...where, noDelay: true, keepAlive: true, autoSelectFamily: true };
  const secure = settings.tls !== "off";
  const socket = secure
    ? tls.connect({ ...options, ...tlsOptions(place, settings) })
    : net.connect(options);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once(secure ? "secureConnect" : "connect", resolve);
    let what = "no connection to";
    if (secure)
      socket.once("connect", () => {
        what = "no TLS with";
      });
    socket.once("error", (error: Error) => {
      const message = `${what} ${placeName(place)}: ${error.message.trim()}`;
      reject(new ConnectionError(message, false, { cause: error }));
    });
    socket.once("close", () => {
      reject(new ConnectionError(`no connection to ${placeName(place)}`));
    });
  });
  return { socket, connected };
}
