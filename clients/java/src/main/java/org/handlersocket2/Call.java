package org.handlersocket2;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.handlersocket2.protocol.Line;

/**
 * A call that is not made yet, for a {@link Pipeline}.
 *
 * @param <T> its result
 */
public final class Call<T> {
  /** Makes the request of a call. It may have to ask for a table's columns. */
  interface Plan<T> {
    /** Appends to the lines, unless the request has a line of its own. */
    Request<T> make(Line lines);
  }

  private final Executor on;
  private final Plan<T> plan;

  Call(Executor on, Plan<T> plan) {
    this.on = on;
    this.plan = plan;
  }

  Executor on() {
    return on;
  }

  /** Makes the call. */
  T run() {
    Result<T> result = new Result<>(this);
    on.carryOut(List.of(result.prepare(System.nanoTime(), new Line())));
    return result.get();
  }

  Request<T> prepare(Line lines) {
    return plan.make(lines);
  }

  /** Calls the hook, and forgets the columns of a table that has been altered. */
  void settle(Request<T> request, HandlerSocketError error, long began) {
    if (error instanceof NotFoundError || error instanceof ProtocolError) {
      on.client().layouts.remove(request.table);
    }
    RequestHook hook = on.client().options.hook;
    if (hook != null) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - began);
      tell(hook, request.kind, request.table.toString(), elapsed, error);
    }
  }

  /** A hook that fails changes nothing of a call that has ended: it is logged. */
  private static void tell(
      RequestHook hook, String kind, String table, Duration elapsed, HandlerSocketError error) {
    try {
      hook.onRequest(kind, table, elapsed, error);
    } catch (Exception | LinkageError e) {
      System.getLogger("org.handlersocket2").log(Level.WARNING, "the hook onRequest has failed", e);
    }
  }
}
