package org.handlersocket2;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.handlersocket2.protocol.Kind;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.Requests;

/** The columns of a table, or of a reply, and as what their values are read. */
final class Layout {
  private static final Pattern TIME =
      Pattern.compile("(-?)([0-9]{2,3}):([0-9]{2}):([0-9]{2})(?:\\.([0-9]{1,6}))?");
  private static final List<List<String>> DESCRIPTIONS =
      List.of(
          List.of("database"),
          List.of("table", "comment"),
          List.of(
              "column", "type", "nullable", "key", "default", "extra", "character_set", "comment"),
          List.of("index", "position", "column", "unique", "direction", "prefix_length"));

  final List<String> names;
  private final List<Column> columns; // Null: bytes as they came.
  final Function<Reply, Row> firstRow = this::firstRow; // One for all calls.
  private volatile Layout selected; // The last selection, as one table asks for the same columns.

  /** As what a column's values are read. */
  static final class Column {
    final String type; // Its name; empty where nobody tells.
    final Kind kind;
    final boolean nullable;
    private final Function<String, Object> reader; // Null: its text is its value.

    Column(String type, boolean nullable) {
      this.type = Kind.nameOf(type);
      this.kind = Kind.of(type);
      this.nullable = nullable;
      reader = READERS.get(kind);
    }
  }

  Layout(List<String> names, List<Column> columns) {
    this.names = names;
    this.columns = columns;
  }

  /** Some columns of a table; one that is not there is text, until the server refuses it. */
  Layout select(List<String> wanted) {
    Layout last = selected;
    if (last == null || last.names != wanted) {
      List<Column> some = wanted.stream().map(this::column).collect(Collectors.toList());
      last = new Layout(wanted, some);
      selected = last;
    }
    return last;
  }

  /** Whether it has these columns, or they were selected last. */
  boolean has(List<String> wanted) {
    Layout last = selected;
    return last != null && last.names == wanted || names.containsAll(wanted);
  }

  /** Columns whose types nobody tells. */
  static Layout ofText(List<String> names) {
    return new Layout(List.of(), List.of()).select(names);
  }

  Column column(String name) {
    int place = names.indexOf(name);
    return place < 0 ? new Column("", true) : columns.get(place);
  }

  /** Asks for what D tells, as rows of text. */
  static Call<List<Row>> describe(Executor on, FullName name, boolean indexes) {
    Line line = Requests.describe(name.database, name.table, indexes);
    int form = indexes ? 3 : !name.table.isEmpty() ? 2 : !name.database.isEmpty() ? 1 : 0;
    Layout layout = ofText(DESCRIPTIONS.get(form));
    return new Call<>(
        on,
        lines ->
            new Request<>("describe", name, line, layout::rows)
                .needs("describe")
                .expect(Expect.rows(layout.names.size(), Long.MAX_VALUE)));
  }

  static Layout ofDescription(List<Row> rows) {
    List<String> names = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    for (Row row : rows) {
      names.add(row.getString("column"));
      boolean nullable = "YES".equals(row.getString("nullable"));
      columns.add(new Column(row.getString("type"), nullable));
    }
    return new Layout(List.copyOf(names), columns);
  }

  /** Makes rows of a reply whose first columns are these. */
  List<Row> rows(Reply reply) {
    List<Row> rows = new ArrayList<>(reply.rows());
    for (int i = 0; i < reply.rows(); i++) {
      rows.add(row(reply, i));
    }
    return rows;
  }

  /** Makes a row of the first row of a reply; null: there is none. */
  private Row firstRow(Reply reply) {
    return reply.rows() == 0 ? null : row(reply, 0);
  }

  private Row row(Reply reply, int number) {
    Row row = new Row(names.size());
    for (int i = 0; i < names.size(); i++) {
      row.put(names.get(i), value(i, reply, number * reply.columns() + i));
    }
    return row;
  }

  private Object value(int place, Reply reply, int from) {
    Column column = columns == null ? null : columns.get(place);
    if (column == null || column.kind == Kind.BYTES) {
      return reply.value(from);
    }
    String text = reply.string(from);
    if (text == null || column.reader == null) {
      return text;
    }
    try {
      return column.reader.apply(text);
    } catch (NumberFormatException e) { // A reply to something else, or the table was altered.
      throw new ProtocolError("column " + names.get(place) + " has \"" + text + "\", no number");
    }
  }

  private static final Map<Kind, Function<String, Object>> READERS =
      Map.of(
          Kind.INTEGER, Layout::integer,
          Kind.FLOAT, Layout::real,
          Kind.DECIMAL, text -> new BigDecimal(number(text)),
          Kind.DATE, Layout::date,
          Kind.DATETIME, Layout::dateTime,
          Kind.TIME, Layout::time);

  private static Object integer(String text) {
    if (text.length() < 19) {
      return Long.parseLong(number(text));
    }
    BigInteger number = new BigInteger(number(text));
    if (number.bitLength() < Long.SIZE) {
      return number.longValue();
    }
    if (number.signum() < 0 || number.bitLength() > Long.SIZE) {
      throw new NumberFormatException("beyond 64 bits");
    }
    return number;
  }

  private static Double real(String text) {
    double number = Double.parseDouble(number(text));
    if (Double.isInfinite(number)) {
      throw new NumberFormatException("without an end");
    }
    return number;
  }

  /** The text, where it has nothing that a number of SQL has not, though one of Java may. */
  private static String number(String text) {
    boolean is = !text.startsWith("+");
    for (int i = 0; is && i < text.length(); i++) {
      is = "0123456789-.eE+".indexOf(text.charAt(i)) >= 0;
    }
    if (!is) {
      throw new NumberFormatException(text);
    }
    return text;
  }

  // The zero date, and days that no calendar has, stay text.
  private static Object date(String text) {
    try {
      return LocalDate.parse(text);
    } catch (DateTimeException e) {
      return text;
    }
  }

  private static Object dateTime(String text) {
    try {
      return LocalDateTime.parse(text.replace(' ', 'T'));
    } catch (DateTimeException e) {
      return text;
    }
  }

  private static Object time(String text) {
    Matcher parts = TIME.matcher(text);
    if (!parts.matches()) {
      return text;
    }
    String fraction = parts.group(5) == null ? "" : parts.group(5);
    Duration length =
        Duration.ofHours(Long.parseLong(parts.group(2)))
            .plusMinutes(Long.parseLong(parts.group(3)))
            .plusSeconds(Long.parseLong(parts.group(4)))
            .plusNanos(Long.parseLong((fraction + "000000000").substring(0, 9)));
    return parts.group(1).isEmpty() ? length : length.negated();
  }
}
