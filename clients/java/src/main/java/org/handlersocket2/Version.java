package org.handlersocket2;

final class Version {
  static final String NUMBER = "1.0.0";

  private Version() {}
}
