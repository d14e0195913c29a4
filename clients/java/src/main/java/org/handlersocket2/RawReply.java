package org.handlersocket2;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;

/** A line of the server. */
public final class RawReply {
  private final int code;
  private final int columns;
  private final List<byte[]> values;

  private RawReply(int code, int columns, List<byte[]> values) {
    this.code = code;
    this.columns = columns;
    this.values = values;
  }

  static Call<RawReply> call(Executor on, boolean change, String... tokens) {
    Line line = new Line().raw(String.join("\t", tokens));
    if (String.join("", tokens).indexOf('\n') >= 0) {
      throw new ValueError("a token has the end of a line in it");
    }
    if (tokens.length > 0 && tokens[0].matches("(?s)[0-9APT].*")) {
      throw new ValueError(
          "an index, a login and a transaction are of one connection, which raw has not");
    }
    return new Call<>(
        on,
        lines -> {
          Request<RawReply> request = new Request<>("raw", FullName.NONE, line, RawReply::of);
          request.change = change;
          request.raw = true;
          return request;
        });
  }

  private static RawReply of(Reply reply) {
    return reply.code() == 0
        ? new RawReply(0, reply.columns(), reply.values())
        : new RawReply(reply.code(), 1, List.of(reply.text().getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns 0, or the code of an error: 1, 2 or 3. */
  public int code() {
    return code;
  }

  /** Returns the second token. */
  public int columns() {
    return columns;
  }

  /** Returns the values, or the text of an error; null is NULL. */
  public List<byte[]> values() {
    return values;
  }
}
