package org.handlersocket2;

/** There is no such table, index or column. */
public class NotFoundError extends ServerError {
  private static final long serialVersionUID = 1L;

  NotFoundError(int code, String text, int number) {
    super(code, text, number);
  }
}
