/**
 * The errors of this client. All are a {@link HandlerSocketError}.
 *
 * What the server has answered is a {@link ServerError} or one of its kinds; what happened to the
 * connection is a {@link ConnectionError} or one of its kinds.
 */

/** The base of all errors of this client. */
export class HandlerSocketError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option that cannot be used. Nothing has been sent. */
export class ConfigurationError extends HandlerSocketError {}

/** A value, a name or a number that cannot be sent. Nothing has been sent. */
export class ValueError extends HandlerSocketError {}

/** The server lacks a feature that the call needs. */
export class UnsupportedError extends HandlerSocketError {}

/** There is no connection, or it broke. */
export class ConnectionError extends HandlerSocketError {
  /** Whether the request may have been carried out. */
  readonly sent: boolean;
  constructor(message: string, sent = false, options?: ErrorOptions) {
    super(message, options);
    this.sent = sent;
  }
}

/** It took too long. The connection is closed. */
export class TimeoutError extends ConnectionError {}

/** What came is no reply. The connection is closed. */
export class ProtocolError extends ConnectionError {}

/** An error that the server has answered with. */
export class ServerError extends HandlerSocketError {
  /** 1: refused, 2: the request is wrong, 3: authentication. */
  readonly code: number;
  /** The text as it came. */
  readonly text: string;
  /** The number of the SQL error of `sql_…` and `access_denied`. */
  readonly number: number | undefined;
  constructor(code: number, text: string) {
    super(`the server answered ${code} ${text}`);
    this.code = code;
    this.text = text;
    const digits = /^(?:sql_|access_denied )(\d+)/.exec(text)?.[1];
    this.number = digits === undefined ? undefined : Number(digits);
  }
}

/** A row with this key is there already. */
export class DuplicateKeyError extends ServerError {}
/** Another session held a row or the table for too long. */
export class LockTimeoutError extends ServerError {}
/** The request was part of a deadlock and was rolled back. */
export class DeadlockError extends ServerError {}
/** The server has rolled the transaction back. */
export class TransactionLostError extends ServerError {}
/** A foreign key forbids the change. */
export class ForeignKeyError extends ServerError {}
/** The column cannot hold the value, or a CHECK forbids it. */
export class ConstraintError extends ServerError {}
/** There is no such table, index or column. */
export class NotFoundError extends ServerError {}
/** A change on the read port, or in a transaction that only reads. */
export class ReadOnlyError extends ServerError {}
/** The login was refused, or none was made. */
export class AuthenticationError extends ServerError {}
/** The account may not do this. */
export class AccessDeniedError extends ServerError {}
/** The server has reached one of its limits. */
export class OverloadedError extends ServerError {}
/** The server is shutting down. */
export class UnavailableError extends ServerError {}

type ServerErrorClass = new (code: number, text: string) => ServerError;

const classes = new Map<string, ServerErrorClass>([
  ["121", DuplicateKeyError],
  ["146", LockTimeoutError],
  ["lock_tables", LockTimeoutError],
  ["149", DeadlockError],
  ["transaction_lost", TransactionLostError],
  ["123", TransactionLostError],
  ["151", ForeignKeyError],
  ["152", ForeignKeyError],
  ["open_table", NotFoundError],
  ["idxnum", NotFoundError],
  ["fld", NotFoundError],
  ["readonly", ReadOnlyError],
  ["unauth", AuthenticationError],
  ["authtype", AuthenticationError],
  ["insecure_transport", AuthenticationError],
  ["access_denied", AccessDeniedError],
  ["max_memory", OverloadedError],
  ["shutdown", UnavailableError],
  ...[1048, 1264, 1265, 1292, 1364, 1366, 1406, 4025].map((number): [string, ServerErrorClass] => [
    `sql_${number}`,
    ConstraintError,
  ]),
]);

/** The error for an error reply. Only the text up to its first blank tells which one it is. */
export function serverError(code: number, text: string): ServerError {
  const word = text.split(" ", 1)[0] ?? "";
  const kind = word.startsWith("too_many_") ? OverloadedError : classes.get(word);
  return new (kind ?? ServerError)(code, text);
}
