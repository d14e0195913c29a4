package org.handlersocket2;

/** A row with this key, in the primary or a unique index, is there already. */
public class DuplicateKeyError extends ServerError {
  private static final long serialVersionUID = 1L;

  DuplicateKeyError(int code, String text, int number) {
    super(code, text, number);
  }
}
