package org.handlersocket2;

/** The server is shutting down. */
public class UnavailableError extends ServerError {
  private static final long serialVersionUID = 1L;

  UnavailableError(int code, String text, int number) {
    super(code, text, number);
  }
}
