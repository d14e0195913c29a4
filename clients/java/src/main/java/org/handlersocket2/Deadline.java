package org.handlersocket2;

/** The end of a time. */
final class Deadline {
  private final long end;
  private final boolean none;

  private Deadline(long end, boolean none) {
    this.end = end;
    this.none = none;
  }

  /** After so many nanoseconds; 0: never. */
  static Deadline in(long nanos) {
    return new Deadline(System.nanoTime() + nanos, nanos == 0);
  }

  /** Milliseconds that are left, at least 1; 0 when there is no end. */
  long millis() {
    if (none) {
      return 0;
    }
    long left = end - System.nanoTime();
    if (left <= 0) {
      throw new TimeoutError("it took too long", true, null);
    }
    return left / 1_000_000 + 1;
  }
}
