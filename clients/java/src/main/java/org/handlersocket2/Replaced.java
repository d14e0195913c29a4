package org.handlersocket2;

/** What a replace has done. */
public final class Replaced {
  private final long rows;
  private final Long id;

  Replaced(long rows, Long id) {
    this.rows = rows;
    this.id = id;
  }

  /** Returns how many rows the new one has replaced. */
  public long rows() {
    return rows;
  }

  /** Returns the generated id, or null. */
  public Long id() {
    return id;
  }
}
