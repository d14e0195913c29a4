package org.handlersocket2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.handlersocket2.protocol.Kind;
import org.handlersocket2.protocol.Reply;

/** The index that a range goes along. */
final class RangeIndex {
  private final Table table;
  private final List<Part> parts = new ArrayList<>();
  private final List<String> columns;

  private static final class Part {
    private final String name;
    private final boolean unique;
    private final boolean descending;
    private final boolean prefix; // The index has only the beginning of the column.
    private final Layout.Column column;
    private final int place; // In a reply.

    Part(Row row, Layout.Column column, int place) {
      name = row.getString("column");
      unique = row.getString("unique").equals("1");
      descending = "D".equals(row.getString("direction"));
      prefix = row.get("prefix_length") != null;
      this.column = column;
      this.place = place;
    }
  }

  /** Rows behind one another whose keys are the same bytes. */
  static final class Run {
    final List<Object> key;
    long rows;

    Run(List<Object> key, long rows) {
      this.key = key;
      this.rows = rows;
    }
  }

  RangeIndex(Table table, List<String> wanted) {
    this.table = table;
    columns = new ArrayList<>(wanted);
    for (Row row : table.indexColumns()) {
      String name = row.getString("column");
      if (!columns.contains(name)) {
        columns.add(name);
      }
      parts.add(new Part(row, table.known().column(name), columns.indexOf(name)));
    }
  }

  /** The columns to read: those that are wanted, and the index's own. */
  List<String> columns() {
    return columns;
  }

  String firstColumn() {
    return parts.get(0).name;
  }

  /** The runs of a reply from its end on: as many as may have the key of the last row. */
  List<Run> runs(Reply reply) {
    List<Run> runs = new ArrayList<>();
    for (int row = reply.rows() - 1; row >= 0; row--) {
      List<Object> key = key(reply, row);
      Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last != null && areEqual(last.key, key)) {
        last.rows++;
        continue;
      }
      if (last != null && !hasText()) {
        return runs;
      }
      runs.add(new Run(key, 1));
      if (last == null && isUnique(key)) {
        return runs;
      }
    }
    return runs;
  }

  private List<Object> key(Reply reply, int row) {
    List<Object> key = new ArrayList<>();
    for (Part part : parts) {
      key.add(reply.values().get(row * reply.columns() + part.place));
    }
    return key;
  }

  /** Tells whether the index has only the beginnings of a column: its keys cannot be compared. */
  boolean hasPrefix() {
    return parts.stream().anyMatch(part -> part.prefix);
  }

  /** Tells whether one row at most has this key. */
  boolean isUnique(List<Object> key) {
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).unique || key.get(i) == null) {
        return false;
      }
    }
    return true;
  }

  private boolean hasText() {
    return parts.stream().anyMatch(part -> part.column.kind == Kind.TEXT);
  }

  /**
   * Tells whether two keys stand at the same place of the index. Text may be the same with other
   * bytes; then the server knows.
   */
  boolean isSame(List<Object> a, List<Object> b) {
    if (areEqual(a, b) || !hasText() || a.size() != b.size()) {
      return areEqual(a, b);
    }
    Query query = new Query().with("=", 1);
    for (int i = 0; i < parts.size(); i++) {
      query.where(parts.get(i).name, "=", b.get(i));
    }
    return table.call().count("range", query, a).run() > 0;
  }

  private static boolean areEqual(List<Object> a, List<Object> b) {
    return Arrays.deepEquals(a.toArray(), b.toArray());
  }

  /**
   * A key with which the index begins. A NULL sorts first, but finds nothing where there can be
   * none. The empty text sorts before all but control characters.
   */
  List<Object> lowest() {
    Part first = parts.get(0);
    if (first.descending) {
      throw new ValueError("a range over an index that goes downwards needs its beginning");
    }
    if (first.column.nullable) {
      return Collections.singletonList(null);
    }
    switch (first.column.kind) {
      case INTEGER:
      case FLOAT:
      case DECIMAL:
        return List.of("-1e309");
      case TIME:
        return List.of("-838:59:59.999999");
      default:
        return List.of("");
    }
  }
}
