package org.handlersocket2;

/** What came is no reply of the protocol. The connection is closed. */
public class ProtocolError extends ConnectionError {
  private static final long serialVersionUID = 1L;

  /** Makes an error that says what is wrong with the reply, in English. */
  public ProtocolError(String what) {
    this("no reply of the protocol: " + what, true, null);
  }

  private ProtocolError(String message, boolean sent, Throwable cause) {
    super(message, sent, cause);
  }

  @Override
  ProtocolError at(Address place) {
    String hint = "; is it HandlerSocket's port, or that of SQL?";
    return new ProtocolError(told(place) + hint, false, this);
  }
}
