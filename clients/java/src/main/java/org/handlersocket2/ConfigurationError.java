package org.handlersocket2;

/** An option that is unknown, given twice, or has a value that it cannot have. Nothing was sent. */
public class ConfigurationError extends HandlerSocketError {
  private static final long serialVersionUID = 1L;

  private final String option;

  ConfigurationError(String option, String what) {
    super("option " + option + ": " + what, null);
    this.option = option;
  }

  /** Returns the option's name. */
  public String option() {
    return option;
  }
}
