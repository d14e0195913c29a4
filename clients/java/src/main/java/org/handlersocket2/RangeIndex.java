package org.handlersocket2;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.handlersocket2.protocol.Kind;
import org.handlersocket2.protocol.Reply;

/** The index that a range goes along. */
final class RangeIndex {
  private static final Set<Kind> SAME = EnumSet.of(Kind.TEXT, Kind.FLOAT);
  private static final Set<Kind> NUMBERS = EnumSet.of(Kind.INTEGER, Kind.FLOAT, Kind.DECIMAL);
  private static final Map<String, String> LOWEST =
      Map.of(
          "date", "0000-00-00",
          "datetime", "0000-00-00 00:00:00",
          "timestamp", "0000-00-00 00:00:00",
          "time", "-838:59:59.999999",
          "uuid", "00000000-0000-0000-0000-000000000000",
          "inet4", "0.0.0.0",
          "inet6", "::");

  private final Table table;
  private final List<Row> told; // By the server.
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
    int rows;

    Run(List<Object> key, int rows) {
      this.key = key;
      this.rows = rows;
    }
  }

  RangeIndex(Table table, List<String> wanted) {
    this.table = table;
    columns = new ArrayList<>(wanted);
    told = table.indexColumns();
    List<String> names = new ArrayList<>();
    told.forEach(row -> names.add(row.getString("column")));
    Layout layout = table.known(names);
    for (Row row : told) {
      String name = row.getString("column");
      if (!columns.contains(name)) {
        columns.add(name);
      }
      parts.add(new Part(row, layout.column(name), columns.indexOf(name)));
    }
  }

  /** Carries out a call that goes along the index. */
  <T> T run(Call<T> call) {
    return table.runAlong(told, call);
  }

  /** The columns to read: those that are wanted, and the index's own. */
  List<String> columns() {
    return columns;
  }

  /**
   * Adds the filter that ends a range. An index of the beginnings of a column has not the order of
   * whole values, so there it does not end the search.
   */
  void end(Query query, boolean reverse, Object stop) {
    Part first = parts.get(0);
    String op = reverse == first.descending ? "<" : ">";
    if (first.prefix) {
      query.where(first.name, op, stop);
    } else {
      query.whileTrue(first.name, op, stop);
    }
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
      if (last != null && !hasSame()) {
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
      key.add(reply.value(row * reply.columns() + part.place));
    }
    return key;
  }

  /**
   * Tells whether a page can begin with a row's key. The text of a column of which the index has
   * only a beginning, of a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does
   * not tell the place in the index.
   */
  boolean canBegin(List<Object> key) {
    for (int i = 0; i < parts.size(); i++) {
      String type = parts.get(i).column.type;
      if (parts.get(i).prefix || type.equals("float")) {
        return false;
      }
      if (type.equals("timestamp") && key.get(i) != null && isNight((byte[]) key.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNight(byte[] timestamp) {
    int hour = Integer.parseInt(new String(timestamp, StandardCharsets.US_ASCII).substring(11, 13));
    return hour < 4 || hour > 21;
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

  /** Tells whether values of other bytes may be the same: texts, and the zeros of DOUBLE. */
  private boolean hasSame() {
    return parts.stream().map(part -> part.column.kind).anyMatch(SAME::contains);
  }

  /**
   * Tells whether two keys stand at the same place of the index. Where their bytes differ the
   * server knows.
   */
  boolean isSame(List<Object> a, List<Object> b) {
    if (areEqual(a, b) || !hasSame() || a.size() != b.size()) {
      return areEqual(a, b);
    }
    Query query = new Query().with("=", 1);
    for (int i = 0; i < parts.size(); i++) {
      query.where(parts.get(i).name, "=", b.get(i));
    }
    return count(query, a) > 0;
  }

  private static boolean areEqual(List<Object> a, List<Object> b) {
    return Arrays.deepEquals(a.toArray(), b.toArray());
  }

  /**
   * A key with which the index begins. A NULL sorts first, but finds nothing where there can be
   * none. Texts that begin with control characters may sort before the empty one: then the key is
   * that of the first of them.
   */
  List<Object> lowest() {
    Part first = parts.get(0);
    if (first.descending) {
      throw new ValueError("a range over an index that goes downwards needs its beginning");
    }
    if (first.column.nullable) {
      return Collections.singletonList(null);
    }
    if (NUMBERS.contains(first.column.kind)) {
      return List.of("-1e309");
    }
    String least = LOWEST.getOrDefault(first.column.type, "");
    if (first.column.kind != Kind.TEXT || !least.isEmpty()) {
      return List.of(least);
    }
    return lowestText(first);
  }

  private long count(Query query, List<Object> key) {
    return run(table.call().count("range", query, key, Calls::number));
  }

  private List<Object> lowestText(Part first) {
    List<Object> key = List.of("");
    Calls calls = table.call();
    Query below = new Query().with("<", 0);
    for (long rows = count(below, key); rows > 0; rows = count(below, key)) {
      Query last = new Query().limit(1).offset(rows - 1).with("<", 1);
      List<Object> from = key;
      Call<Reply> call =
          calls.call(
              lines ->
                  calls.request(
                      lines, "range", last, from, "", List.of(first.name), List.of(), it -> it));
      Reply reply = run(call);
      key = reply.rows() == 0 ? key : List.of(reply.value(0));
    }
    return key;
  }
}
