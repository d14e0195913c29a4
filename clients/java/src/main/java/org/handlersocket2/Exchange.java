package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Open;
import org.handlersocket2.protocol.Reply;

/** Carries requests out on one connection, and opens the indexes that they need. */
final class Exchange {
  private static final int ROOM_OF_ID = 8; // Bytes of a short index id, a TAB and a LF.
  private static final int MOST_ROOM = 64 << 10; // Bytes, from the beginning.

  private final Connection connection;
  private final List<Request> requests;
  private int answered;
  private final List<Step> steps = new ArrayList<>();
  private Line lines;
  private boolean opening;

  /** A request of one piece. */
  private static final class Step {
    Request request;
    Indexes.Index index;
    boolean opens; // A P stands before it.
    UnsupportedError refused; // It is not sent.
  }

  Exchange(Connection connection, List<Request> requests) {
    this.connection = connection;
    this.requests = requests;
  }

  /** Returns how many requests were answered. */
  int answered() {
    return answered;
  }

  void run() {
    while (answered < requests.size()) {
      prepare();
      if (steps.isEmpty()) {
        replace(requests.get(answered));
      } else {
        carryOut();
      }
    }
  }

  /**
   * Makes one piece of as many requests as there is room for their indexes. The openings go along:
   * an id that is refused is not open, so that the request behind it does nothing.
   */
  private void prepare() {
    steps.clear();
    List<Request> left = requests.subList(answered, requests.size());
    long room = 0;
    for (Request request : left) {
      room += request.body.length() + ROOM_OF_ID;
    }
    lines = new Line((int) Math.min(room, MOST_ROOM));
    for (Request request : left) {
      Step step = new Step();
      step.request = request;
      if (!connection.has(request.needs)) {
        step.refused = new UnsupportedError(request.needs);
      } else if (!append(step)) {
        return;
      }
      steps.add(step);
    }
  }

  private boolean append(Step step) {
    Request request = step.request;
    if (request.spec != null) {
      step.index = connection.indexes.find(request.spec.key);
      if (step.index == null) {
        if (connection.indexes.isFull()) {
          return false;
        }
        step.index = connection.indexes.add(request.spec.key);
        step.opens = true;
        Open.append(lines, step.index.id, request.spec.line);
      }
      lines.number(step.index.id).tab();
    }
    lines.raw(request.body).raw('\n');
    return true;
  }

  private void carryOut() {
    int expected = 0;
    for (Step step : steps) {
      expected += step.refused != null ? 0 : step.opens ? 2 : 1;
    }
    int before = answered;
    opening = true;
    connection.talk(lines, expected, mostValues(), reply -> handle(before, reply));
    refuse(before);
    for (Step step : steps) {
      if (step.opens && step.index.refused != null) {
        connection.indexes.forget(step.request.spec.key);
      }
    }
  }

  private void handle(int before, Reply reply) {
    refuse(before);
    Step step = steps.get(answered - before);
    if (step.opens && opening) {
      opening = false;
      if (reply.code() != 0) {
        step.index.refused = ServerError.of(reply.code(), reply.text());
      } else {
        check(Expect.NOTHING, reply);
      }
      return;
    }
    opening = true;
    if (step.index != null && step.index.refused != null) {
      answered++;
      step.request.done.accept(null, step.index.refused);
    } else if (reply.code() != 0 && !step.request.raw) {
      answered++;
      step.request.done.accept(null, ServerError.of(reply.code(), reply.text()));
    } else {
      connection.changed |= step.request.change;
      take(step.request, reply);
    }
  }

  /** Behind a reply to something else nobody knows what the next ones are replies to. */
  private void take(Request request, Reply reply) {
    if (!request.raw) {
      check(request.expect, reply);
    }
    answered++;
    HandlerSocketError error = request.done.accept(reply, null);
    if (error instanceof ProtocolError) {
      throw error;
    }
  }

  private static void check(Expect expect, Reply reply) {
    if (!expect.isMet(reply)) {
      throw new ProtocolError("it answers something else than was asked");
    }
  }

  private long mostValues() {
    long most = 0;
    for (Step step : steps) {
      most = Math.max(most, step.request.expect.most);
    }
    return most;
  }

  /** Answers the requests that were not sent. */
  private void refuse(int before) {
    while (answered - before < steps.size() && steps.get(answered - before).refused != null) {
      Step step = steps.get(answered - before);
      answered++;
      step.request.done.accept(null, step.refused);
    }
  }

  /**
   * Opens an index under the id that was used longest ago. That index stays when the new one is
   * refused, so nothing may be sent behind it before the reply.
   */
  private void replace(Request request) {
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
            request.done.accept(null, ServerError.of(reply.code(), reply.text()));
          }
        });
  }
}
