package org.handlersocket2;

/** The isolation of a transaction, as in SQL. */
public enum Isolation {
  /** The server's own. */
  DEFAULT(""),
  /** READ UNCOMMITTED. */
  READ_UNCOMMITTED("RU"),
  /** READ COMMITTED. */
  READ_COMMITTED("RC"),
  /** REPEATABLE READ. */
  REPEATABLE_READ("RR"),
  /** SERIALIZABLE. */
  SERIALIZABLE("SR");

  private final String token;

  Isolation(String token) {
    this.token = token;
  }

  /** Returns the two letters of the protocol, or the empty text. */
  public String token() {
    return token;
  }
}
