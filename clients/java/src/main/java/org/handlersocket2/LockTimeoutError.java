package org.handlersocket2;

/** A lock could not be had in time. Try again. */
public class LockTimeoutError extends ServerError {
  private static final long serialVersionUID = 1L;

  LockTimeoutError(int code, String text, int number) {
    super(code, text, number);
  }
}
