package org.handlersocket2;

/** A deadlock; a transaction is lost. Try again. */
public class DeadlockError extends ServerError {
  private static final long serialVersionUID = 1L;

  DeadlockError(int code, String text, int number) {
    super(code, text, number);
  }
}
