package org.handlersocket2;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where connections go to: a host and a port, or a Unix socket, and the secret there. */
final class Address {
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(\\[[0-9a-fA-F:.]+\\]|[^:\\[\\]\\s/\\x00]+):([0-9]{1,5})");

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

  /** Reads host:port, where an IPv6 address stands in brackets; null: it is none. */
  static Address parse(String text) {
    Matcher parts = HOST_AND_PORT.matcher(text);
    if (!parts.matches() || hostOf(parts.group(1)) == null) {
      return null;
    }
    int port = Integer.parseInt(parts.group(2));
    return port < 1 || port > 65535 ? null : tcp(hostOf(parts.group(1)), port, "");
  }

  /** Returns a host without the brackets of an IPv6 address; null: it is none. */
  static String hostOf(String text) {
    if (!text.startsWith("[")) {
      return text.matches(".*[:\\]\\[].*") ? null : text;
    }
    if (!text.matches("\\[[0-9a-fA-F:.]+\\]")) {
      return null;
    }
    try {
      InetAddress.getByName(text); // It looks up nothing that stands in brackets.
      return text.substring(1, text.length() - 1);
    } catch (UnknownHostException e) {
      return null;
    }
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
