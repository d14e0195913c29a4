package org.handlersocket2;

/** Where connections go to: a host and a port, or a Unix socket, and the secret there. */
final class Address {
  final String host; // Empty for a Unix socket.
  final int port;
  final String path;
  final String secret;

  private Address(String host, int port, String path, String secret) {
    this.host = host;
    this.port = port;
    this.path = path;
    this.secret = secret;
  }

  static Address tcp(String host, int port, String secret) {
    return new Address(host, port, "", secret);
  }

  static Address unix(String path, String secret) {
    return new Address("", 0, path, secret);
  }

  /** Reads host:port, where an IPv6 address stands in brackets. */
  static Address parse(String option, String text) {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}")) {
      throw new ConfigurationError(option, "\"" + text + "\" is not host:port");
    }
    long number = (Long) Setting.PORT.parse(port);
    return tcp(host(option, text.substring(0, colon)), (int) number, "");
  }

  /** Returns a host without the brackets of an IPv6 address. */
  static String host(String option, String text) {
    if (text.matches("\\[[0-9a-fA-F:.%]+\\]")) {
      return text.substring(1, text.length() - 1);
    }
    if (text.matches(".*[:\\[\\]].*")) {
      throw new ConfigurationError(option, "an IPv6 address stands in brackets");
    }
    return text;
  }

  Address withSecret(String other) {
    return new Address(host, port, path, other);
  }

  boolean isUnix() {
    return !path.isEmpty();
  }

  @Override
  public String toString() {
    return isUnix() ? path : host + ":" + port;
  }
}
