package org.handlersocket2.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.handlersocket2.ValueError;

/** A find, a count, or a change of what was found. It is filled in and then appended. */
public final class Find {
  private static final List<String> OPERATORS = List.of("=", "=<", ">", ">=", "<", "<=");
  private static final Set<String> VERBS =
      Set.of("C", "U", "D", "+", "-", "U?", "D?", "+?", "-?", "U!", "+!", "-!");

  private final String op;
  private final List<?> key;
  private final String verb;

  /** Most rows, 0 to 4294967295. */
  public long limit = 1;

  /** Rows to skip first, 0 to 4294967295. */
  public long offset;

  /** A list of key values, or null. */
  public In in;

  /** All of them must hold. */
  public final List<Filter> filters = new ArrayList<>();

  /** Those of a change, one for each opened column. */
  public List<?> values = List.of();

  /**
   * Makes a find.
   *
   * @param op = =&lt; &gt; &gt;= &lt; or &lt;=
   * @param verb empty for a find, C for a count, or U, D, + or -, with ? or ! for rows
   */
  public Find(String op, List<?> key, String verb) {
    if (!OPERATORS.contains(op)) {
      throw new ValueError("\"" + op + "\" is no operator of a find");
    }
    if (!verb.isEmpty() && !VERBS.contains(verb)) {
      throw new ValueError("\"" + verb + "\" is no change");
    }
    if (key.isEmpty()) {
      throw new ValueError("a key has one value at least");
    }
    this.op = op;
    this.key = key;
    this.verb = verb;
  }

  /** Appends a find of one row with this key, as {@link #append}, with less on the way. */
  public static void appendGet(Line line, List<?> key) {
    if (key.isEmpty()) {
      throw new ValueError("a key has one value at least");
    }
    line.raw('=').tab().values(key);
  }

  /** Appends the request without the index id and without the end of the line. */
  public void append(Line line) {
    line.raw(op).tab().values(key);
    boolean plain = in == null && filters.isEmpty() && verb.isEmpty();
    if (!plain || offset != 0 || limit != 1) {
      line.tab().number(limit);
    }
    if (!plain || offset != 0) {
      line.tab().number(offset);
    }
    if (in != null) {
      in.append(line, key.size());
    }
    for (Filter filter : filters) {
      filter.append(line);
    }
    if (!verb.isEmpty()) {
      line.tab().raw(verb);
      if (!values.isEmpty() && (verb.startsWith("C") || verb.startsWith("D"))) {
        throw new ValueError(verb + " takes no values");
      }
    }
    for (Object value : values) {
      line.tab().argument(value);
    }
  }
}
