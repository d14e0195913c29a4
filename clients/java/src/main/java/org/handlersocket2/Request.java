package org.handlersocket2;

import java.util.function.Function;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;

/**
 * One line for the server, and what is to be done with its reply.
 *
 * @param <T> what the reply is read as
 */
final class Request<T> {
  final String kind;
  final FullName table;
  final Spec spec; // Null: the line needs no index.
  private final Line lines; // A part of them is the line, without the id and the end.
  private final int from;
  private final int to;
  private final Function<Reply, T> read;
  String needs = ""; // A feature without which it is not sent.
  Expect expect = Expect.ANYTHING;
  boolean change;
  boolean raw; // An error is a reply, too.
  long patience; // Nanoseconds that the server may wait beyond the timeout.
  Result<T> result; // Null: nobody waits for it.

  // In one exchange:
  Indexes.Index index;
  boolean opens; // A P stands before it.
  UnsupportedError refused; // It is not sent.

  /** The line is what stands in the lines from a place to their end. */
  Request(String kind, FullName table, Spec spec, Line lines, int from, Function<Reply, T> read) {
    this.kind = kind;
    this.table = table;
    this.spec = spec;
    this.lines = lines;
    this.from = from;
    this.to = lines.length();
    this.read = read;
  }

  /** A line that needs no index. */
  Request(String kind, FullName table, Line line, Function<Reply, T> read) {
    this(kind, table, null, line, 0, read);
  }

  Request<T> expect(Expect reply) {
    expect = reply;
    return this;
  }

  Request<T> needs(String feature) {
    needs = feature;
    return this;
  }

  int length() {
    return to - from;
  }

  void append(Line target) {
    target.raw(lines, from, to);
  }

  /** Reads the reply, and returns the error of the call, or null. */
  HandlerSocketError take(Reply reply) {
    T value = null;
    HandlerSocketError error = null;
    try {
      value = read.apply(reply);
    } catch (HandlerSocketError e) {
      error = e;
    }
    give(value, error);
    return error;
  }

  /** It got no reply that it could read. */
  void fail(HandlerSocketError error) {
    give(null, error);
  }

  private void give(T value, HandlerSocketError error) {
    if (result != null) {
      result.set(this, value, error);
    }
  }
}
