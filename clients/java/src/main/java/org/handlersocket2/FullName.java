package org.handlersocket2;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a table is named: database.table. Each part may stand in backquotes, as in SQL. */
final class FullName {
  private static final String QUOTED = "`(?:[^`]|``)+`";
  private static final String PLAIN = "[^.`][^.]*";
  private static final String NAME = "(" + QUOTED + "|" + PLAIN + ")";
  private static final Pattern FULL_NAME =
      Pattern.compile(NAME + "\\.(" + QUOTED + "|[^`].*)|" + NAME, Pattern.DOTALL);

  private FullName() {}

  /** Returns the database and the table, or the only part. */
  static String[] parts(String full) {
    Matcher found = FULL_NAME.matcher(full);
    if (!found.matches()) {
      throw new ValueError("a table has a name and a database: database.table");
    }
    if (found.group(1) == null) {
      return new String[] {unquoted(found.group(3))};
    }
    return new String[] {unquoted(found.group(1)), unquoted(found.group(2))};
  }

  private static String unquoted(String name) {
    return name.startsWith("`") ? name.substring(1, name.length() - 1).replace("``", "`") : name;
  }
}
