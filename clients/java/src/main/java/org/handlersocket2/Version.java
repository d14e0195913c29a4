package org.handlersocket2;

final class Version {
  static final String NUMBER = "2.0.0";

  private Version() {}
}
