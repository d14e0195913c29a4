package org.handlersocket2;

/** A foreign key forbids the change. */
public class ForeignKeyError extends ServerError {
  private static final long serialVersionUID = 1L;

  ForeignKeyError(int code, String text, int number) {
    super(code, text, number);
  }
}
