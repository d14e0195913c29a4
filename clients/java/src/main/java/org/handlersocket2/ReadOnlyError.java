package org.handlersocket2;

/** A change where only reads are taken. */
public class ReadOnlyError extends ServerError {
  private static final long serialVersionUID = 1L;

  ReadOnlyError(int code, String text, int number) {
    super(code, text, number);
  }
}
