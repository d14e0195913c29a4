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
  CONNECT_TIMEOUT(5.0, 0, 1e9),
  TIMEOUT(30.0, 0, 1e9),
  POOL_SIZE(16L, 1, 65536),
  MAX_IDLE(60.0, 0, 1e9),
  NAME("handlersocket2-java/" + Version.NUMBER),
  REPLICAS(List.of(), 0, 0),
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
      return (long) bounded(text, "[0-9]{1,10}");
    } else if (fallback instanceof Double) {
      return bounded(text, "[0-9]{1,10}(\\.[0-9]+)?");
    } else if (fallback instanceof Boolean) {
      return oneOf(text, List.of("off", "on")).equals("on");
    } else if (fallback instanceof List) {
      List<String> addresses = List.of(text.split(",", -1));
      addresses.forEach(address -> Address.parse(option(), address));
      return addresses;
    }
    return choices.isEmpty() ? text : oneOf(text, choices);
  }

  private double bounded(String text, String pattern) {
    if (text.matches(pattern)) {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw new ConfigurationError(
        option(), "\"" + text + "\" is no number from " + (long) least + " to " + (long) most);
  }

  private String oneOf(String text, List<String> allowed) {
    if (!allowed.contains(text)) {
      throw new ConfigurationError(
          option(), "\"" + text + "\" is none of " + String.join(", ", allowed));
    }
    return text;
  }
}
