package org.handlersocket2;

import java.util.List;
import java.util.Locale;

/** The options: their names, defaults and values. */
enum Setting {
  HOST("127.0.0.1"),
  PORT(9998L, 1, 65535),
  WRITE_PORT(9999L, 1, 65535),
  SOCKET(""),
  WRITE_SOCKET(""),
  DATABASE(""),
  USER(""),
  PASSWORD(""),
  SECRET(""),
  WRITE_SECRET(""),
  TLS("off", "require", "verify"),
  TLS_CA(""),
  TLS_CERT(""),
  TLS_KEY(""),
  TLS_NAME(""),
  CONNECT_TIMEOUT(5.0, 0, 1e6),
  TIMEOUT(30.0, 0, 1e6),
  POOL_SIZE(16L, 1, 65535),
  MAX_IDLE(60.0, 0, 1e6),
  NAME("handlersocket2-java/" + Version.NUMBER),
  REPLICAS(List.of(), 0, 32),
  READ_YOUR_WRITES(false, 0, 0),
  GTID_TIMEOUT(1.0, 0, 600),
  RETRIES(2L, 0, 1000);

  private final Object fallback;
  private final List<String> choices;
  private final double least;
  private final double most;

  Setting(String fallback, String... others) {
    this.fallback = fallback;
    this.choices = others.length == 0 ? List.of() : List.of(fallback, others[0], others[1]);
    this.least = 0;
    this.most = 0;
  }

  Setting(Object fallback, double least, double most) {
    this.fallback = fallback;
    this.choices = List.of();
    this.least = least;
    this.most = most;
  }

  static Setting of(String option) {
    for (Setting setting : values()) {
      if (setting.option().equals(option)) {
        return setting;
      }
    }
    throw new ConfigurationError(option, "it is unknown");
  }

  String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  Object fallback() {
    return fallback;
  }

  /** Returns the value that a text means: a Long, a Double (seconds), a Boolean, text or a list. */
  Object parse(String text) {
    if (fallback instanceof Long) {
      return (long) bounded(text, "[0-9]{1,10}", "a whole number");
    } else if (fallback instanceof Double) {
      return bounded(text, "[0-9]{1,10}(\\.[0-9]+)?", "seconds");
    } else if (fallback instanceof Boolean) {
      return oneOf(text, List.of("on", "off")).equals("on");
    } else if (fallback instanceof List) {
      return addresses(text);
    }
    return choices.isEmpty() ? text(text) : oneOf(text, choices);
  }

  /** The error does not tell the text, which may be secret. */
  private String text(String text) {
    boolean secret = this == PASSWORD || this == SECRET || this == WRITE_SECRET;
    boolean withoutNul = text.indexOf(0) < 0;
    if (secret && !withoutNul) {
      throw new ConfigurationError(option(), "it is text without NUL");
    } else if (this == NAME
        && (text.isEmpty() || text.chars().anyMatch(c -> c < ' ' || c == 127))) {
      throw new ConfigurationError(
          option(), "it is text of one character or more, without control characters");
    } else if (!secret && (text.isEmpty() || !withoutNul)) {
      throw new ConfigurationError(option(), "it is text of one character or more, without NUL");
    }
    return text;
  }

  private List<String> addresses(String text) {
    List<String> addresses = List.of(text.split(",", -1));
    if (addresses.size() <= most
        && addresses.stream().allMatch(one -> Address.parse(one) != null)) {
      return addresses;
    }
    throw wrong("host:port,host:port, " + (int) most + " at most", text);
  }

  private ConfigurationError wrong(String wanted, String text) {
    return new ConfigurationError(option(), "it is " + wanted + ", not \"" + text + "\"");
  }

  private double bounded(String text, String pattern, String what) {
    if (text.matches(pattern)) {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw wrong(what + " from " + (long) least + " to " + (long) most, text);
  }

  private String oneOf(String text, List<String> allowed) {
    if (!allowed.contains(text)) {
      int last = allowed.size() - 1;
      String others = String.join(", ", allowed.subList(0, last));
      throw wrong(others + " or " + allowed.get(last), text);
    }
    return text;
  }
}
