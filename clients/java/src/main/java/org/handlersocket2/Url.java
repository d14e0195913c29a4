package org.handlersocket2;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Reads a URL: hs://… or hs+unix://… */
final class Url {
  private final Map<String, String> given = new HashMap<>();

  private Url() {}

  /** Returns the options of a URL by their names. */
  static Map<String, String> parse(String url) {
    if (url.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
      throw new ConfigurationError("url", "it has a blank or a control character");
    }
    String[] halves = url.split("\\?", 2);
    boolean unix = halves[0].startsWith("hs+unix://");
    if (!unix && !halves[0].startsWith("hs://") || url.contains("#")) {
      throw new ConfigurationError("url", "it is not hs://… or hs+unix://…");
    }
    Url parsed = new Url();
    String rest = halves[0].substring(halves[0].indexOf("://") + 3);
    int slash = rest.indexOf('/');
    parsed.authority(slash < 0 ? rest : rest.substring(0, slash), unix);
    String path = slash < 0 ? "" : rest.substring(unix ? slash : slash + 1);
    if (!path.isEmpty()) {
      parsed.give(unix ? "socket" : "database", path);
    } else if (unix) {
      throw new ConfigurationError("socket", "it is missing");
    }
    if (halves.length > 1 && !halves[1].isEmpty()) {
      parsed.query(halves[1]);
    }
    return parsed.given;
  }

  private void authority(String text, boolean unix) {
    int at = text.lastIndexOf('@');
    if (at >= 0) {
      String[] account = text.substring(0, at).split(":", 2);
      give("user", account[0]);
      if (account.length > 1) {
        give("password", account[1]);
      }
    }
    String place = text.substring(at + 1);
    if (place.isEmpty()) {
      return;
    }
    if (unix) {
      throw new ConfigurationError("host", "a Unix socket has none");
    }
    int colon = place.lastIndexOf(':');
    String host = place;
    if (colon > place.lastIndexOf(']')) {
      host = place.substring(0, colon);
      give("port", place.substring(colon + 1));
    }
    if (!host.isEmpty()) {
      String name = Address.hostOf(host);
      if (name == null) {
        throw new ConfigurationError("host", "an IPv6 address stands in brackets");
      }
      give("host", name);
    }
  }

  private void query(String query) {
    for (String pair : query.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      if (parts.length < 2) {
        throw new ConfigurationError(parts[0], "it has no value");
      }
      give(parts[0], parts[1]);
    }
  }

  private void give(String name, String escaped) {
    Setting.of(name);
    if (given.put(name, unescape(name, escaped)) != null) {
      throw new ConfigurationError(name, "it is given twice");
    }
  }

  private static String unescape(String name, String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] escaped = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < escaped.length; i++) {
      if (escaped[i] != '%') {
        bytes.write(escaped[i]);
        continue;
      }
      int high = i + 2 < escaped.length ? Character.digit(escaped[i + 1], 16) : -1;
      int low = i + 2 < escaped.length ? Character.digit(escaped[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw new ConfigurationError(name, "it has a % that begins no escape");
      }
      bytes.write(high << 4 | low);
      i += 2;
    }
    try {
      ByteBuffer encoded = ByteBuffer.wrap(bytes.toByteArray());
      return StandardCharsets.UTF_8.newDecoder().decode(encoded).toString();
    } catch (CharacterCodingException e) {
      throw new ConfigurationError(name, "it is no UTF-8");
    }
  }
}
