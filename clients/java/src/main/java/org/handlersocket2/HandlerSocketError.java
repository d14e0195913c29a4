package org.handlersocket2;

/** Any error of this library. */
public abstract class HandlerSocketError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  HandlerSocketError(String message, Throwable cause) {
    super(message, cause);
  }
}
