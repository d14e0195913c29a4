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
    const hint = hints.get(text) ?? hints.get(firstWord(text));
    super(`${text} (code ${code})${hint === undefined ? "" : `: ${hint}`}`);
    this.code = code;
    this.text = text;
    const digits = /^(?:sql_|access_denied )(\d+)/.exec(text)?.[1];
    this.number = digits === undefined ? undefined : Number(digits);
  }
}

const ENDS: ReadonlySet<string> = new Set([
  "insecure_transport",
  "max_memory",
  "request_too_long",
  "shutdown",
  "too_many_connections",
]);

/** Whether the server ends the connection behind this error, or may. */
export function endsConnection(error: unknown): boolean {
  return error instanceof ServerError && ENDS.has(error.text);
}

/** Whether the server closes the connection behind this error, and does nothing of what was sent behind its request. */
export function isLastAnswer(error: unknown): boolean {
  // The others are also answered by a server that goes on.
  return endsConnection(error) && !/^(max_memory|shutdown)$/.test((error as ServerError).text);
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

/** What is said behind the server's word, which is short. */
const hints = new Map<string, string>([
  ["121", "a row with this key is there already"],
  ["123", "another session has changed the row meanwhile; try again"],
  ["146", "another session held the row for too long; try again"],
  ["149", "a deadlock; try again"],
  ["151", "the row that a foreign key refers to is not there"],
  ["152", "another row refers to this one by a foreign key"],
  ["lock_tables", "another session held the table for too long, or the server is read-only"],
  ["transaction_lost", "the server has rolled the transaction back; begin it again"],
  ["open_table", "there is no such table, or it cannot be served"],
  ["idxnum", "the table has no such index, or it cannot be searched"],
  ["fld", "the table has no such column"],
  [
    "readonly",
    "changes are not taken here, but on the write port, and in transactions that may write",
  ],
  [
    "unauth",
    "the port asks for an account or a secret, or the one that was given is refused; " +
      "accounts of MySQL need tls=verify or a Unix socket",
  ],
  ["authtype", "the port does not take this kind of login"],
  ["insecure_transport", "the server takes connections with TLS only"],
  ["access_denied", "the account has no privilege for this"],
  [
    "access_denied 1226",
    "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later",
  ],
  ["max_memory", "the server has reached handlersocket_max_memory; try again later"],
  ["shutdown", "the server is shutting down"],
  ["too_many_indexes", "the connection has as many open indexes as it may have"],
  ["too_many_connections", "the server has reached handlersocket_max_connections"],
  ["too_many_rows", "one request may not change or give so many rows; use a smaller limit"],
  ["too_many_keys", "the list is longer than handlersocket_max_in_keys"],
  ["too_many_columns", "the list is longer than handlersocket_max_columns"],
  ["too_many_logins", "as many logins wait as the server lets wait; try again later"],
  [
    "too_many_waits",
    "as many connections wait for a GTID as the server lets wait; try again later",
  ],
  [
    "too_many_transactions",
    "the server has reached handlersocket_max_transactions; try again later",
  ],
  ["cmd", "the server does not know this request: it is no HandlerSocket 2, or an old one"],
  ["op", "the index does not take this operator"],
  ["kpnum", "the key has more values than the index has columns"],
  ["fldnum", "there are more values than columns"],
  ["filterblob", "TEXT and BLOB columns can only be compared with NULL"],
  ["notimpl", "this server does not serve this request"],
  ["number", "an amount, a limit or an offset is no integer, or out of its range"],
  ["request_too_long", "the request is longer than handlersocket_max_request_size"],
  ["reply_too_long", "the reply is longer than handlersocket_max_reply_size; ask for fewer rows"],
  ["unsupported_table", "the table has a feature that is not served on this port; use SQL"],
  ["interrupted", "the request was killed, and nothing of it was done"],
  ["gtid", "this is no list of GTIDs"],
  ["no_binary_log", "the server writes no binary log, so changes have no GTID"],
  ["in_transaction", "this is not taken within a transaction"],
  ["no_transaction", "the connection is in no transaction"],
  ["not_a_number", "the value of the column is no number that can be counted"],
]);

function firstWord(text: string): string {
  return text.split(" ", 1)[0] ?? "";
}

/** The error for an error reply. Only the text up to its first blank tells which one it is. */
export function serverError(code: number, text: string): ServerError {
  const word = firstWord(text);
  const kind = word.startsWith("too_many_") ? OverloadedError : classes.get(word);
  return new (kind ?? ServerError)(code, text);
}
