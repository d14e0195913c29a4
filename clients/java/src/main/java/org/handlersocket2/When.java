package org.handlersocket2;

/** Which rows a change gives. */
public enum When {
  /** The rows as they were. */
  BEFORE("?"),
  /** The rows as they are afterwards. */
  AFTER("!");

  final String mark;

  When(String mark) {
    this.mark = mark;
  }
}
