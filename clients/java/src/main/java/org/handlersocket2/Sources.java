package org.handlersocket2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Where options come from: a URL, the environment, the option file. */
final class Sources {
  private static final List<String> PLACES =
      List.of("host", "port", "write_port", "socket", "write_socket");

  private static final Pattern BLANKS_AROUND =
      Pattern.compile("^[ \\t\\r\\x0b\\f]+|[ \\t\\r\\x0b\\f]+$");

  private Sources() {}

  /** Returns the options by their names; those of the URL come first. */
  static Map<String, String> read(String url, Map<String, String> environment) {
    String address = url.isEmpty() ? environment.getOrDefault("HS_URL", "") : url;
    Map<String, String> found = file(environment);
    if (!address.isEmpty()) {
      PLACES.forEach(found::remove); // The URL says where the server is.
    }
    put(found, "password", environment.get("HS_PASSWORD"));
    put(found, "secret", environment.get("HS_SECRET"));
    if (!address.isEmpty()) {
      found.putAll(Url.parse(address));
    }
    return found;
  }

  private static void put(Map<String, String> found, String option, String value) {
    if (value != null) {
      found.put(option, value);
    }
  }

  private static Map<String, String> file(Map<String, String> environment) {
    String name = environment.getOrDefault("HS_OPTION_FILE", "");
    String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
    Path path = name.isEmpty() ? Path.of(home, ".hs.cnf") : Path.of(name);
    try {
      return parse(path, Files.readString(path));
    } catch (NoSuchFileException e) {
      if (name.isEmpty()) {
        return new HashMap<>();
      }
      throw wrong("there is no file " + name);
    } catch (IOException e) {
      throw wrong(e.toString());
    }
  }

  private static String trimmed(String text) {
    return BLANKS_AROUND.matcher(text).replaceAll("");
  }

  private static ConfigurationError wrong(String what) {
    return new ConfigurationError("HS_OPTION_FILE", what);
  }

  private static Map<String, String> parse(Path path, String content) {
    Map<String, String> found = new HashMap<>();
    if (content.indexOf(0) >= 0) {
      throw wrong(path + " has a NUL byte");
    }
    String[] lines = content.split("\n");
    String group = null;
    for (int i = 0; i < lines.length; i++) {
      String line = trimmed(lines[i]);
      String where = " (" + path + ", line " + (i + 1) + ")";
      if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
        continue;
      }
      if (line.startsWith("!")) {
        throw wrong("no other file is included" + where);
      } else if (line.startsWith("[")) {
        if (line.indexOf(']') < 0) {
          throw wrong("a group has no ]" + where);
        }
        group = trimmed("[" + line.substring(1, line.indexOf(']'))).substring(1);
        group = group.toLowerCase(Locale.ROOT);
      } else if (group == null) {
        throw wrong("a line stands before the first group" + where);
      } else if (group.equals("hs")) {
        String[] parts = line.split("=", 2);
        String option = trimmed(parts[0]);
        Setting.of(option);
        if (parts.length < 2) {
          throw new ConfigurationError(option, "it has no value" + where);
        }
        if (found.put(option, trimmed(parts[1])) != null) {
          throw new ConfigurationError(option, "it is given twice" + where);
        }
        Setting.of(option).parse(found.get(option)); // Also where it does not count.
      }
    }
    return found;
  }
}
