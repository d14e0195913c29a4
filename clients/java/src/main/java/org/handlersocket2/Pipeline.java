package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects calls and sends them in one piece. When there is a change among them, all go to the
 * write port. It is for one thread.
 */
public final class Pipeline {
  private final Executor on;
  private final List<Entry<?>> entries = new ArrayList<>();

  Pipeline(Executor on) {
    this.on = on;
  }

  private static final class Entry<T> {
    private final Call<T> call;
    private final Result<T> result = Result.pending();

    Entry(Call<T> call) {
      this.call = call;
    }

    void prepare(long began, List<Request> requests) {
      try {
        requests.add(call.prepare(began, result::set));
      } catch (HandlerSocketError e) {
        result.set(Result.failed(e));
      }
    }
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
    Entry<T> entry = new Entry<>(call);
    entries.add(entry);
    return entry.result;
  }

  /**
   * Sends the calls. An error of a call alone is in its result. Afterwards the pipeline is empty.
   *
   * @throws ConnectionError when the connection broke; the calls without an answer have it, too
   */
  public void run() {
    long began = System.nanoTime();
    List<Request> requests = new ArrayList<>();
    entries.forEach(entry -> entry.prepare(began, requests));
    entries.clear();
    HandlerSocketError failed = requests.isEmpty() ? null : on.carryOut(requests);
    if (failed != null) {
      throw failed;
    }
  }
}
