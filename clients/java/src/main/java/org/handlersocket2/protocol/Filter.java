package org.handlersocket2.protocol;

import java.util.Set;
import org.handlersocket2.ValueError;

/** Compares a filter column of the opened index with a value. */
public final class Filter {
  private static final Set<String> OPERATORS = Set.of("=", "!=", ">", ">=", "<", "<=");

  private final String kind;
  private final String op;
  private final long column;
  private final Object value;

  /**
   * Makes a filter.
   *
   * @param kind F, which skips a row, or W, which ends the search
   * @param op = != &gt; &gt;= &lt; or &lt;=
   * @param column counts the filter columns from 0
   */
  public Filter(String kind, String op, long column, Object value) {
    if (!kind.equals("F") && !kind.equals("W")) {
      throw new ValueError("\"" + kind + "\" is no kind of a filter");
    }
    if (!OPERATORS.contains(op)) {
      throw new ValueError("\"" + op + "\" is no operator of a filter");
    }
    this.kind = kind;
    this.op = op;
    this.column = column;
    this.value = value;
  }

  void append(Line line) {
    line.tab().raw(kind).tab().raw(op).tab().number(column).tab().argument(value);
  }
}
