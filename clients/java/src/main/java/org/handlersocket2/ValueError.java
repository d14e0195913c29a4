package org.handlersocket2;

/** A value, a name or a number that cannot be sent, or not be read as what is wanted. */
public class ValueError extends HandlerSocketError {
  private static final long serialVersionUID = 1L;

  /** Makes an error that says what is wrong, in English. */
  public ValueError(String what) {
    super(what, null);
  }
}
