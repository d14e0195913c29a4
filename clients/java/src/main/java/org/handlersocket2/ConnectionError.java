package org.handlersocket2;

/** There is no connection, or it broke. */
public class ConnectionError extends HandlerSocketError {
  private static final long serialVersionUID = 1L;

  private boolean sent;

  ConnectionError(String message, boolean sent, Throwable cause) {
    super(message, cause);
    this.sent = sent;
  }

  /** Tells whether the request may have been carried out. */
  public boolean sent() {
    return sent;
  }

  /** Notes that what stood before it in a pipeline was carried out. */
  final void markAsSent() {
    sent = true;
  }

  /** The same error where no connection came about. */
  ConnectionError at(Address place) {
    return new ConnectionError(told(place), false, this);
  }

  final String told(Address place) {
    return "no connection to " + place + ": " + getMessage();
  }
}
