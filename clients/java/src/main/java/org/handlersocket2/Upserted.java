package org.handlersocket2;

/** What an upsert has done. */
public final class Upserted {
  /** What became of the row. */
  public enum Did {
    /** It was added. */
    INSERTED,
    /** The row that was there was updated. */
    UPDATED,
    /** The row that was there is as it was. */
    UNCHANGED
  }

  private final Did did;
  private final Long id;

  Upserted(long number, Long id) {
    did = number == 0 ? Did.UNCHANGED : number == 1 ? Did.INSERTED : Did.UPDATED;
    this.id = id;
  }

  /** Returns what became of the row. */
  public Did did() {
    return did;
  }

  /** Returns the generated id, or that of the row that was updated, or null. */
  public Long id() {
    return id;
  }
}
