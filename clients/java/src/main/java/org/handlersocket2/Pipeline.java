package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;
import org.handlersocket2.protocol.Line;

/**
 * Collects calls and sends them in one piece. When there is a change among them, all go to the
 * write port. It is for one thread.
 */
public final class Pipeline {
  private final Executor on;
  private final List<Result<?>> results = new ArrayList<>(); // Of calls that are not made yet.

  Pipeline(Executor on) {
    this.on = on;
  }

  /**
   * Adds a call, as of {@link Table#call}; its result is there when the pipeline has run.
   *
   * @throws ValueError when the call's table is of another client or transaction
   */
  public <T> Result<T> add(Call<T> call) {
    if (call.on() != on) {
      throw new ValueError("the table is of another client or transaction than the pipeline");
    }
    Result<T> result = new Result<>(call);
    results.add(result);
    return result;
  }

  /**
   * Sends the calls. An error of a call alone is in its result. Afterwards the pipeline is empty.
   *
   * @throws ConnectionError when the connection broke; the calls without an answer have it, too
   */
  public void run() {
    long began = System.nanoTime();
    List<Request<?>> requests = new ArrayList<>(results.size());
    Line lines = new Line();
    for (Result<?> result : results) {
      try {
        requests.add(result.prepare(began, lines));
      } catch (HandlerSocketError e) {
        result.refuse(e);
      }
    }
    results.clear();
    HandlerSocketError failed = requests.isEmpty() ? null : on.carryOut(requests);
    if (failed != null) {
      throw failed;
    }
  }
}
