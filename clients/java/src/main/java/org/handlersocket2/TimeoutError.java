package org.handlersocket2;

/** It took too long. The connection is closed. */
public class TimeoutError extends ConnectionError {
  private static final long serialVersionUID = 1L;

  TimeoutError(String message, boolean sent, Throwable cause) {
    super(message, sent, cause);
  }

  @Override
  TimeoutError at(Address place) {
    return new TimeoutError(told(place), false, this);
  }
}
