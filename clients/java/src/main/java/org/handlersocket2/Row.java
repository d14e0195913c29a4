package org.handlersocket2;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A row: values by the names of their columns, in the order of the columns. A value is a Long (or a
 * BigInteger beyond its range), Double, BigDecimal, String, byte[], LocalDate, LocalDateTime,
 * Duration (of a TIME), or null; a date that no calendar has is a String. The getters convert, and
 * give null for NULL.
 */
public class Row extends LinkedHashMap<String, Object> {
  private static final long serialVersionUID = 1L;

  /** Makes an empty row. */
  public Row() {}

  /** Makes an empty row with room for so many columns. */
  Row(int columns) {
    super(columns + columns / 2 + 1);
  }

  /** Makes a row of a map. */
  public Row(Map<String, ?> values) {
    super(values);
  }

  /** Makes a row of names and values in turns: {@code Row.of("id", 1, "name", "x")}. */
  public static Row of(Object... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new ValueError("a row is of names and values in turns");
    }
    Row row = new Row();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      row.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return row;
  }

  /** Returns an integer. */
  public Long getLong(String column) {
    return get(column, Long.class);
  }

  /** Returns an integer of 32 bits. */
  public Integer getInt(String column) {
    return get(column, Integer.class);
  }

  /** Returns a floating point number. */
  public Double getDouble(String column) {
    return get(column, Double.class);
  }

  /** Returns an exact number. */
  public BigDecimal getDecimal(String column) {
    return get(column, BigDecimal.class);
  }

  /** Returns a truth: any number but 0. */
  public Boolean getBoolean(String column) {
    return get(column, Boolean.class);
  }

  /** Returns text; what is not text is written as Java does. */
  public String getString(String column) {
    return get(column, String.class);
  }

  /** Returns bytes, of text in UTF-8. */
  public byte[] getBytes(String column) {
    Object value = value(column);
    return value instanceof String
        ? ((String) value).getBytes(StandardCharsets.UTF_8)
        : get(column, byte[].class);
  }

  /** Returns a day. */
  public LocalDate getDate(String column) {
    return get(column, LocalDate.class);
  }

  /** Returns a day with a time. */
  public LocalDateTime getDateTime(String column) {
    return get(column, LocalDateTime.class);
  }

  /** Returns a length of time, as a TIME has it. */
  public Duration getDuration(String column) {
    return get(column, Duration.class);
  }

  /** Returns a time of the day. */
  public LocalTime getTime(String column) {
    return get(column, LocalTime.class);
  }

  /**
   * Returns a value as a type.
   *
   * @throws ValueError when there is no such column, or its value is none of the type
   */
  public <T> T get(String column, Class<T> type) {
    return type.cast(Records.convert(column, value(column), type));
  }

  private Object value(String column) {
    if (!containsKey(column)) {
      throw new ValueError("the row has no column " + column);
    }
    return get(column);
  }

  /**
   * Makes an object of the row: a record by its components, any other class by its constructor
   * without arguments and its fields. Their names are the columns', or userName for user_name.
   *
   * @throws ValueError when a column is missing, or a value is none of its type
   */
  public <T> T as(Class<T> type) {
    return Records.make(this, type);
  }
}
