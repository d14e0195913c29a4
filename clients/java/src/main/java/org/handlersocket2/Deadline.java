package org.handlersocket2;

/** The end of a time. */
final class Deadline {
  final long end; // By System.nanoTime().
  final boolean none;

  private Deadline(long end, boolean none) {
    this.end = end;
    this.none = none;
  }

  /** After so many nanoseconds; 0: never. */
  static Deadline in(long nanos) {
    return new Deadline(System.nanoTime() + nanos, nanos == 0);
  }
}
