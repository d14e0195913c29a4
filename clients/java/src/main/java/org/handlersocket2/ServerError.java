package org.handlersocket2;

import java.util.Map;

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

  private final int code;
  private final String text;
  private final int number;

  ServerError(int code, String text, int number) {
    super(text, null);
    this.code = code;
    this.text = text;
    this.number = number;
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
