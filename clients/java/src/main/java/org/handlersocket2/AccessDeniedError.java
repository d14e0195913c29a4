package org.handlersocket2;

/** The account has no privilege for this, or has reached a limit of its own. */
public class AccessDeniedError extends ServerError {
  private static final long serialVersionUID = 1L;

  AccessDeniedError(int code, String text, int number) {
    super(code, text, number);
  }
}
