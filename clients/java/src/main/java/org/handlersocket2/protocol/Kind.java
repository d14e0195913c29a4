package org.handlersocket2.protocol;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** As what the values of a column come. */
public enum Kind {
  /** Whole numbers. */
  INTEGER("tinyint", "smallint", "mediumint", "int", "bigint", "year"),
  /** Floating point numbers. */
  FLOAT("float", "double"),
  /** Exact numbers. */
  DECIMAL("decimal"),
  /** Days. */
  DATE("date"),
  /** Days with a time. */
  DATETIME("datetime", "timestamp"),
  /** Lengths of time. */
  TIME("time"),
  /** Text, and all that is unknown. */
  TEXT(),
  /** Bytes. */
  BYTES(
      "binary",
      "varbinary",
      "bit",
      "tinyblob",
      "blob",
      "mediumblob",
      "longblob",
      "geometry",
      "point",
      "linestring",
      "polygon",
      "multipoint",
      "multilinestring",
      "multipolygon",
      "geometrycollection");

  private static final Map<String, Kind> BY_TYPE = new HashMap<>();

  static {
    for (Kind kind : values()) {
      kind.types.forEach(type -> BY_TYPE.put(type, kind));
    }
  }

  private final List<String> types;

  Kind(String... types) {
    this.types = List.of(types);
  }

  /** Returns the kind of a type as D has it, such as "int(10) unsigned". */
  public static Kind of(String type) {
    return BY_TYPE.getOrDefault(nameOf(type), TEXT);
  }

  /** Returns the name of a type as D has it, such as "int" of "int(10) unsigned". */
  public static String nameOf(String type) {
    return type.toLowerCase(Locale.ROOT).split("[( ]", 2)[0];
  }
}
