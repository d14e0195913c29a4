package org.handlersocket2;

import java.util.function.Predicate;
import org.handlersocket2.protocol.Reply;

/** What a reply that is no error must be. Another one is a reply to something else. */
final class Expect {
  static final Expect ANYTHING = new Expect(Long.MAX_VALUE, reply -> true);
  static final Expect NOTHING = new Expect(0, reply -> reply.count() == 0);
  static final Expect COUNT =
      new Expect(1, reply -> isRow(reply, 1) && is(reply, 0, 0, Long.MAX_VALUE));

  /** One number or none, as an insert has. */
  static final Expect ID =
      new Expect(1, reply -> reply.columns() == 1 && (reply.count() == 0 || is(reply, 0, 0, -1)));

  /** The most values that such a reply has. */
  final long most;

  private final Predicate<Reply> test;

  private Expect(long most, Predicate<Reply> test) {
    this.most = most;
    this.test = test;
  }

  /** Rows of so many columns, and so many of them at most. */
  static Expect rows(int columns, long most) {
    long values = most > Integer.MAX_VALUE ? Long.MAX_VALUE : columns * most;
    return new Expect(values, reply -> reply.columns() == columns && reply.rows() <= most);
  }

  /** What an insert that may find a row tells: a number that its verb has, and maybe an id. */
  static Expect added(String verb) {
    long lowest = verb.equals("+R") ? 1 : 0;
    long highest = verb.equals("+I") ? 1 : verb.equals("+U") ? 2 : Long.MAX_VALUE;
    return new Expect(
        2,
        reply ->
            (isRow(reply, 1) || isRow(reply, 2) && is(reply, 1, 0, -1))
                && is(reply, 0, lowest, highest));
  }

  boolean isMet(Reply reply) {
    return test.test(reply);
  }

  private static boolean isRow(Reply reply, int columns) {
    return reply.columns() == columns && reply.count() == columns;
  }

  /** Tells whether a value is a number between two, as unsigned 64 bits. */
  private static boolean is(Reply reply, int place, long lowest, long highest) {
    String text = reply.string(place);
    if (text == null || !text.chars().allMatch(c -> '0' <= c && c <= '9')) {
      return false;
    }
    try {
      long number = Long.parseUnsignedLong(text);
      return Long.compareUnsigned(lowest, number) <= 0
          && Long.compareUnsigned(number, highest) <= 0;
    } catch (NumberFormatException e) {
      return false; // Empty, or beyond 64 bits.
    }
  }
}
