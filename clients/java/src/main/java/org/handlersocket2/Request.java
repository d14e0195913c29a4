package org.handlersocket2;

import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;

/** One line for the server, and what is to be done with its reply. */
final class Request {
  final String kind;
  final FullName table;
  final Spec spec; // Null: the line needs no index.
  final Line body; // Without the id and the end of the line.
  String needs = ""; // A feature without which it is not sent.
  Expect expect = Expect.ANYTHING;
  boolean change;
  boolean raw; // An error is a reply, too.
  long patience; // Nanoseconds that the server may wait beyond the timeout.
  Done done;

  Request(String kind, FullName table, Spec spec, Line body) {
    this.kind = kind;
    this.table = table;
    this.spec = spec;
    this.body = body;
  }

  /** Gets the reply or the error, once. */
  interface Done {
    /** Returns the error of the call, or null. */
    HandlerSocketError accept(Reply reply, HandlerSocketError error);
  }

  Request expect(Expect reply) {
    expect = reply;
    return this;
  }

  Request needs(String feature) {
    needs = feature;
    return this;
  }
}
