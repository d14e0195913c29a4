package org.handlersocket2;

import java.util.Map;
import java.util.Set;

/** An error reply of the server. Its subclasses tell the usual ones apart. */
public class ServerError extends HandlerSocketError {
  private static final long serialVersionUID = 1L;

  private interface Maker {
    ServerError make(int code, String text, int number);
  }

  private static final Map<String, Maker> CLASSES =
      Map.ofEntries(
          Map.entry("121", DuplicateKeyError::new),
          Map.entry("146", LockTimeoutError::new),
          Map.entry("lock_tables", LockTimeoutError::new),
          Map.entry("149", DeadlockError::new),
          Map.entry("transaction_lost", TransactionLostError::new),
          Map.entry("123", TransactionLostError::new),
          Map.entry("151", ForeignKeyError::new),
          Map.entry("152", ForeignKeyError::new),
          Map.entry("sql_1048", ConstraintError::new),
          Map.entry("sql_1264", ConstraintError::new),
          Map.entry("sql_1265", ConstraintError::new),
          Map.entry("sql_1292", ConstraintError::new),
          Map.entry("sql_1364", ConstraintError::new),
          Map.entry("sql_1366", ConstraintError::new),
          Map.entry("sql_1406", ConstraintError::new),
          Map.entry("sql_4025", ConstraintError::new),
          Map.entry("open_table", NotFoundError::new),
          Map.entry("idxnum", NotFoundError::new),
          Map.entry("fld", NotFoundError::new),
          Map.entry("readonly", ReadOnlyError::new),
          Map.entry("unauth", AuthenticationError::new),
          Map.entry("authtype", AuthenticationError::new),
          Map.entry("insecure_transport", AuthenticationError::new),
          Map.entry("access_denied", AccessDeniedError::new),
          Map.entry("too_many_", OverloadedError::new),
          Map.entry("max_memory", OverloadedError::new),
          Map.entry("shutdown", UnavailableError::new));

  /** What is said behind the server's word, which is short. */
  private static final Map<String, String> HINTS =
      Map.ofEntries(
          Map.entry("121", "a row with this key is there already"),
          Map.entry("123", "another session has changed the row meanwhile; try again"),
          Map.entry("146", "another session held the row for too long; try again"),
          Map.entry("149", "a deadlock; try again"),
          Map.entry("151", "the row that a foreign key refers to is not there"),
          Map.entry("152", "another row refers to this one by a foreign key"),
          Map.entry(
              "lock_tables",
              "another session held the table for too long, or the server is read-only"),
          Map.entry(
              "transaction_lost", "the server has rolled the transaction back; begin it again"),
          Map.entry("open_table", "there is no such table, or it cannot be served"),
          Map.entry("idxnum", "the table has no such index, or it cannot be searched"),
          Map.entry("fld", "the table has no such column"),
          Map.entry(
              "readonly",
              "changes are not taken here, but on the write port, and in transactions that may write"),
          Map.entry(
              "unauth",
              "the port asks for an account or a secret, or the one that was given is refused;"
                  + " accounts of MySQL need tls=verify or a Unix socket"),
          Map.entry("authtype", "the port does not take this kind of login"),
          Map.entry("insecure_transport", "the server takes connections with TLS only"),
          Map.entry("access_denied", "the account has no privilege for this"),
          Map.entry(
              "access_denied 1226",
              "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR;"
                  + " try again later"),
          Map.entry(
              "max_memory", "the server has reached handlersocket_max_memory; try again later"),
          Map.entry("shutdown", "the server is shutting down"),
          Map.entry("too_many_indexes", "the connection has as many open indexes as it may have"),
          Map.entry("too_many_connections", "the server has reached handlersocket_max_connections"),
          Map.entry(
              "too_many_rows",
              "one request may not change or give so many rows; use a smaller limit"),
          Map.entry("too_many_keys", "the list is longer than handlersocket_max_in_keys"),
          Map.entry("too_many_columns", "the list is longer than handlersocket_max_columns"),
          Map.entry(
              "too_many_logins", "as many logins wait as the server lets wait; try again later"),
          Map.entry(
              "too_many_waits",
              "as many connections wait for a GTID as the server lets wait; try again later"),
          Map.entry(
              "too_many_transactions",
              "the server has reached handlersocket_max_transactions; try again later"),
          Map.entry(
              "cmd",
              "the server does not know this request: it is no HandlerSocket 2, or an old one"),
          Map.entry("op", "the index does not take this operator"),
          Map.entry("kpnum", "the key has more values than the index has columns"),
          Map.entry("fldnum", "there are more values than columns"),
          Map.entry("filterblob", "TEXT and BLOB columns can only be compared with NULL"),
          Map.entry("notimpl", "this server does not serve this request"),
          Map.entry("number", "an amount, a limit or an offset is no integer, or out of its range"),
          Map.entry(
              "request_too_long", "the request is longer than handlersocket_max_request_size"),
          Map.entry(
              "reply_too_long",
              "the reply is longer than handlersocket_max_reply_size; ask for fewer rows"),
          Map.entry(
              "unsupported_table",
              "the table has a feature that is not served on this port; use SQL"),
          Map.entry("interrupted", "the request was killed, and nothing of it was done"),
          Map.entry("gtid", "this is no list of GTIDs"),
          Map.entry("no_binary_log", "the server writes no binary log, so changes have no GTID"),
          Map.entry("in_transaction", "this is not taken within a transaction"),
          Map.entry("no_transaction", "the connection is in no transaction"),
          Map.entry("not_a_number", "the value of the column is no number that can be counted"));

  private static final Set<String> ENDS =
      Set.of(
          "insecure_transport",
          "max_memory",
          "request_too_long",
          "shutdown",
          "too_many_connections");

  private final int code;
  private final String text;
  private final int number;

  ServerError(int code, String text, int number) {
    super(message(code, text), null);
    this.code = code;
    this.text = text;
    this.number = number;
  }

  /** Tells whether the server ends the connection behind this error, or may. */
  static boolean endsConnection(String text) {
    return ENDS.contains(text);
  }

  /** The error of a reply, of the class that its text has. */
  static ServerError of(int code, String text) {
    String[] words = text.split(" ", 3);
    String word = words[0];
    int number = 0;
    if (word.startsWith("sql_")) {
      number = parse(word.substring("sql_".length()));
    } else if (word.equals("access_denied") && words.length > 1) {
      number = parse(words[1]);
    }
    Maker maker = CLASSES.get(word.startsWith("too_many_") ? "too_many_" : word);
    return maker == null ? new ServerError(code, text, number) : maker.make(code, text, number);
  }

  private static int parse(String digits) {
    return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0;
  }

  private static String message(int code, String text) {
    String hint = HINTS.getOrDefault(text, HINTS.get(text.split(" ", 2)[0]));
    return text + " (code " + code + ")" + (hint == null ? "" : ": " + hint);
  }

  /** Returns 1 (the server refused), 2 (the request is wrong) or 3 (authentication). */
  public int code() {
    return code;
  }

  /** Returns the text of the reply, as it came. */
  public String text() {
    return text;
  }

  /** Returns the number of an SQL error, for sql_ and access_denied, else 0. */
  public int number() {
    return number;
  }
}
