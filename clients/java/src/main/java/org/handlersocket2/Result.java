package org.handlersocket2;

import org.handlersocket2.protocol.Line;

/**
 * The result of one call of a pipeline.
 *
 * @param <T> of what type it is
 */
public final class Result<T> {
  private Call<T> call; // Null: it was made.
  private long began;
  private T value;
  private HandlerSocketError error;

  Result(Call<T> call) {
    this.call = call;
  }

  /** Makes the request, whose answer is to be {@link #set}. */
  Request<T> prepare(long now, Line lines) {
    began = now;
    Request<T> request = call.prepare(lines);
    request.result = this;
    return request;
  }

  /** Takes what came of the request. */
  void set(Request<T> request, T found, HandlerSocketError failed) {
    call.settle(request, failed, began);
    refuse(failed);
    value = found;
  }

  /** Takes the error of a call whose request could not be made, or null. */
  void refuse(HandlerSocketError failed) {
    call = null;
    error = failed;
  }

  /** Returns the error of this call alone, or null. */
  public HandlerSocketError error() {
    return call == null ? error : new ConnectionError("the pipeline has not run", false, null);
  }

  /**
   * Returns the result.
   *
   * @throws HandlerSocketError the error of this call alone
   */
  public T get() {
    HandlerSocketError failed = error();
    if (failed != null) {
      throw failed;
    }
    return value;
  }
}
