package org.handlersocket2;

/** A value that its column does not take. */
public class ConstraintError extends ServerError {
  private static final long serialVersionUID = 1L;

  ConstraintError(int code, String text, int number) {
    super(code, text, number);
  }
}
