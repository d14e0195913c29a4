package org.handlersocket2.protocol;

import java.util.List;
import org.handlersocket2.ValueError;

/** A list of key values that take the place of one part of the key, one after the other. */
public final class In {
  private final long part;
  private final List<?> values;
  private final boolean all;

  /**
   * Makes a list.
   *
   * @param part counts the key parts from 0
   * @param all finds all rows of each value, and not only the first one
   */
  public In(long part, List<?> values, boolean all) {
    if (values.isEmpty()) {
      throw new ValueError("a list of values for a key has one value at least");
    }
    this.part = part;
    this.values = values;
    this.all = all;
  }

  void append(Line line, int parts) {
    if (part < 0 || part >= parts) {
      throw new ValueError("the key has no part " + part);
    }
    line.raw(all ? "\t&\t" : "\t@\t").number(part).tab().values(values);
  }
}
