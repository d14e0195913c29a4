package org.handlersocket2;

/** The server has as much to do as it may have. Try again later. */
public class OverloadedError extends ServerError {
  private static final long serialVersionUID = 1L;

  OverloadedError(int code, String text, int number) {
    super(code, text, number);
  }
}
