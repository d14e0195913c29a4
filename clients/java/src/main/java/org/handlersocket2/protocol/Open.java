package org.handlersocket2.protocol;

import java.util.List;
import org.handlersocket2.ValueError;

/** What an index id stands for. */
public final class Open {
  private Open() {}

  /**
   * Returns what stands behind the id.
   *
   * @param index the index's name; empty is PRIMARY
   * @param columns those that finds return and changes set
   * @param filterColumns those that filters compare
   */
  public static Line spec(
      String database,
      String table,
      String index,
      List<String> columns,
      List<String> filterColumns) {
    if (database.isEmpty() || table.isEmpty()) {
      throw new ValueError("a table has a name and a database");
    }
    Line line = new Line().name(database).tab().name(table).tab().name(index).tab();
    line.names(columns);
    return filterColumns.isEmpty() ? line : line.tab().names(filterColumns);
  }

  /** Appends the line that opens an index. */
  public static void append(Line line, long id, Line spec) {
    line.raw("P\t").number(id).tab().raw(spec).raw('\n');
  }
}
