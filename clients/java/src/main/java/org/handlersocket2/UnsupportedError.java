package org.handlersocket2;

/** The server, or this version of Java, has not this feature. */
public class UnsupportedError extends HandlerSocketError {
  private static final long serialVersionUID = 1L;

  private final String feature;

  UnsupportedError(String feature) {
    this(feature, "the server has not the feature " + feature);
  }

  UnsupportedError(String feature, String message) {
    super(message, null);
    this.feature = feature;
  }

  /** Returns the feature's name, as H has it. */
  public String feature() {
    return feature;
  }
}
