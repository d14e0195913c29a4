package org.handlersocket2;

import java.util.function.BiConsumer;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;

/** One line for the server, and what is to be done with its reply. */
final class Request {
  final String kind;
  final String table; // For the hook.
  final Line spec; // What P says behind the id; null: the line needs no index.
  final String specKey;
  final Line body; // Without the id and the end of the line.
  String needs = ""; // A feature without which it is not sent.
  boolean change;
  boolean raw; // An error is a reply, too.
  long patience; // Nanoseconds that the server may wait beyond the timeout.
  BiConsumer<Reply, HandlerSocketError> done; // Gets one of both, once.

  Request(String kind, String table, Line spec, Line body) {
    this.kind = kind;
    this.table = table;
    this.spec = spec;
    this.specKey =
        spec == null
            ? null
            : new String(spec.toBytes(), java.nio.charset.StandardCharsets.ISO_8859_1);
    this.body = body;
  }

  Request needs(String feature) {
    needs = feature;
    return this;
  }
}
