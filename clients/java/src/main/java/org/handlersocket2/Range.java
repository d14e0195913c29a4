package org.handlersocket2;

/** The rows from one key to another. It is for one thread. */
public final class Range {
  Object start;
  Object stop;
  boolean hasStart;
  boolean hasStop;
  boolean reverse;
  long page = 1000;
  final Query filters = new Query();

  /** Makes a range over all rows. */
  public Range() {}

  /** Sets the key with which the range begins. */
  public Range from(Object key) {
    start = key;
    hasStart = true;
    return this;
  }

  /** Sets the first value of the index's first column that is not wanted any more. */
  public Range to(Object value) {
    stop = value;
    hasStop = true;
    return this;
  }

  /** Goes downwards; this needs {@link #from}. */
  public Range reverse() {
    reverse = true;
    return this;
  }

  /** Sets how many rows are read at once; without it, 1000. */
  public Range page(long rows) {
    page = rows;
    return this;
  }

  /** Skips rows for which the comparison does not hold. */
  public Range where(String column, String op, Object value) {
    filters.where(column, op, value);
    return this;
  }

  /** Ends at the first row for which the comparison does not hold. */
  public Range whileTrue(String column, String op, Object value) {
    filters.whileTrue(column, op, value);
    return this;
  }
}
