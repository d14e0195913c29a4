package org.handlersocket2.protocol;

import java.util.List;
import java.util.Set;
import org.handlersocket2.ValueError;

/** Adds a row, or does what its verb says when it is there already. */
public final class Insert {
  private static final Set<String> VERBS =
      Set.of("+", "+I", "+U", "+R", "+!", "+I!", "+U!", "+R!", "+I?", "+U?", "+R?");

  private Insert() {}

  /**
   * Appends the request without the index id and without the end of the line.
   *
   * @param verb +, +I, +U or +R, with ! for the row afterwards, or ? for the rows before
   * @param values those of the first opened columns
   * @param update what +U sets the first opened columns to; null is the same as values
   */
  public static void append(Line line, String verb, List<?> values, List<?> update) {
    if (!VERBS.contains(verb)) {
      throw new ValueError("\"" + verb + "\" is no kind of an insert");
    }
    if (update != null && !verb.startsWith("+U")) {
      throw new ValueError(verb + " takes no values for an update");
    }
    line.raw(verb).tab().values(values);
    if (update != null) {
      line.tab().values(update);
    }
  }
}
