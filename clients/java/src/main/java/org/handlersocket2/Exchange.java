package org.handlersocket2;

import java.util.List;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Open;
import org.handlersocket2.protocol.Reply;

/** Carries requests out on one connection, and opens the indexes that they need. */
final class Exchange {
  private static final int ROOM_OF_ID = 8; // Bytes of a short index id, a TAB and a LF.
  private static final int MOST_ROOM = 64 << 10; // Bytes, from the beginning.

  private final Connection connection;
  private final List<Request<?>> requests;
  private int answered;
  private int prepared; // The requests before this place are in the piece, or refused.
  private Line lines;
  private boolean opening;

  Exchange(Connection connection, List<Request<?>> requests) {
    this.connection = connection;
    this.requests = requests;
  }

  /** Returns how many requests were answered. */
  int answered() {
    return answered;
  }

  /** Carries them out. An error has {@code sent} also where what stood before it was answered. */
  void run() {
    try {
      while (answered < requests.size()) {
        if (connection.broken) {
          throw new ConnectionError("it has ended behind an earlier call", true, null);
        }
        runPiece();
      }
    } catch (ConnectionError e) {
      if (answered > 0) {
        e.markAsSent();
      }
      throw e;
    }
  }

  /** Carries out as many as there is room for their indexes, or makes room. */
  private void runPiece() {
    prepare();
    if (prepared == answered) {
      replace(requests.get(answered));
    } else {
      carryOut();
    }
  }

  /**
   * Makes one piece of as many requests as there is room for their indexes. The openings go along:
   * an id that is refused is not open, so that the request behind it does nothing.
   */
  private void prepare() {
    long room = 0;
    for (int i = answered; i < requests.size(); i++) {
      room += requests.get(i).length() + ROOM_OF_ID;
    }
    lines = new Line((int) Math.min(room, MOST_ROOM));
    Request<?> last = null;
    for (prepared = answered; prepared < requests.size(); prepared++) {
      Request<?> request = requests.get(prepared);
      request.opens = false;
      request.refused = connection.has(request.needs) ? null : new UnsupportedError(request.needs);
      if (request.refused != null) {
        continue;
      }
      if (request.spec != null && last != null && last.spec == request.spec) {
        request.index = last.index;
      } else if (request.spec != null && !open(request)) {
        return;
      }
      append(request);
      last = request;
    }
  }

  /** Finds the index of a request, or opens it; false: there is no room for it. */
  private boolean open(Request<?> request) {
    request.index = connection.indexes.find(request.spec.key);
    if (request.index == null) {
      if (connection.indexes.isFull()) {
        return false;
      }
      request.index = connection.indexes.add(request.spec.key);
      request.opens = true;
      Open.append(lines, request.index.id, request.spec.line);
    }
    return true;
  }

  private void append(Request<?> request) {
    if (request.spec != null) {
      lines.number(request.index.id).tab();
    }
    request.append(lines);
    lines.raw('\n');
  }

  private void carryOut() {
    int first = answered;
    int expected = 0;
    long mostValues = 0;
    for (Request<?> request : requests.subList(first, prepared)) {
      expected += request.refused != null ? 0 : request.opens ? 2 : 1;
      mostValues = Math.max(mostValues, request.expect.most);
    }
    opening = true;
    connection.talk(lines, expected, mostValues, this::handle);
    refuse();
    for (Request<?> request : requests.subList(first, prepared)) {
      if (request.opens && request.index.refused != null) {
        connection.indexes.forget(request.spec.key);
      }
    }
  }

  private void handle(Reply reply) {
    refuse();
    Request<?> request = requests.get(answered);
    if (request.opens && opening) {
      opening = false;
      if (reply.code() != 0) {
        request.index.refused = ServerError.of(reply.code(), reply.text());
      } else {
        check(Expect.NOTHING, reply);
      }
      return;
    }
    opening = true;
    if (request.index != null && request.index.refused != null) {
      answered++;
      request.fail(request.index.refused);
    } else if (reply.code() != 0 && !request.raw) {
      answered++;
      request.fail(ServerError.of(reply.code(), reply.text()));
    } else {
      connection.changed |= request.change;
      take(request, reply);
    }
  }

  /** Behind a reply to something else nobody knows what the next ones are replies to. */
  private void take(Request<?> request, Reply reply) {
    if (!request.raw) {
      check(request.expect, reply);
    }
    answered++;
    HandlerSocketError error = request.take(reply);
    if (error instanceof ProtocolError) {
      throw error;
    }
  }

  private static void check(Expect expect, Reply reply) {
    if (!expect.isMet(reply)) {
      throw new ProtocolError("it answers something else than was asked");
    }
  }

  /** Answers the requests that were not sent. */
  private void refuse() {
    while (answered < prepared && requests.get(answered).refused != null) {
      Request<?> request = requests.get(answered);
      answered++;
      request.fail(request.refused);
    }
  }

  /**
   * Opens an index under the id that was used longest ago. That index stays when the new one is
   * refused, so nothing may be sent behind it before the reply.
   */
  private void replace(Request<?> request) {
    Line line = new Line();
    Open.append(line, connection.indexes.oldestId(), request.spec.line);
    connection.talk(
        line,
        1,
        0,
        reply -> {
          if (reply.code() == 0) {
            check(Expect.NOTHING, reply);
            connection.indexes.replaceOldest(request.spec.key);
          } else {
            answered++;
            request.fail(ServerError.of(reply.code(), reply.text()));
          }
        });
  }
}
