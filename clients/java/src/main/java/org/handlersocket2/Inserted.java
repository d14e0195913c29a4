package org.handlersocket2;

/** What insertIgnore has done. */
public final class Inserted {
  private final boolean inserted;
  private final Long id;

  Inserted(boolean inserted, Long id) {
    this.inserted = inserted;
    this.id = id;
  }

  /** Tells whether the row was added. */
  public boolean inserted() {
    return inserted;
  }

  /** Returns the generated id, or null. */
  public Long id() {
    return id;
  }
}
