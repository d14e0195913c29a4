package org.handlersocket2;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of a table. */
final class FullName {
  private static final String QUOTED = "`(?:[^`]|``)+`";
  private static final String PLAIN = "[^.`][^.]*";
  private static final String NAME = "(" + QUOTED + "|" + PLAIN + ")";
  private static final Pattern FULL_NAME =
      Pattern.compile(NAME + "\\.(" + QUOTED + "|[^`].*)|" + NAME, Pattern.DOTALL);

  static final FullName NONE = new FullName("", "");

  final String database;
  final String table;

  FullName(String database, String table) {
    this.database = database;
    this.table = table;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FullName
        && database.equals(((FullName) other).database)
        && table.equals(((FullName) other).table);
  }

  @Override
  public int hashCode() {
    return 31 * database.hashCode() + table.hashCode();
  }

  /** What a hook is told: database.table, a database alone, or nothing. */
  @Override
  public String toString() {
    return table.isEmpty() ? database : database + "." + table;
  }

  /**
   * Returns the database and the table of database.table, or the only part. Each may stand in
   * backquotes, as in SQL.
   */
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
