package org.handlersocket2;

/** The login or the secret was refused, or there was none. */
public class AuthenticationError extends ServerError {
  private static final long serialVersionUID = 1L;

  AuthenticationError(int code, String text, int number) {
    super(code, text, number);
  }
}
