package org.handlersocket2;

/**
 * The result of one call of a pipeline.
 *
 * @param <T> of what type it is
 */
public final class Result<T> {
  private T value;
  private HandlerSocketError error;
  private boolean pending; // The call was not made yet.

  Result(T value, HandlerSocketError error) {
    this.value = value;
    this.error = error;
  }

  static <T> Result<T> of(T value) {
    return new Result<>(value, null);
  }

  static <T> Result<T> failed(HandlerSocketError error) {
    return new Result<>(null, error);
  }

  static <T> Result<T> pending() {
    Result<T> result = new Result<>(null, null);
    result.pending = true;
    return result;
  }

  void set(Result<T> other) {
    pending = false;
    value = other.value;
    error = other.error;
  }

  /** Returns the error of this call alone, or null. */
  public HandlerSocketError error() {
    return pending ? new ConnectionError("the pipeline has not run", false, null) : error;
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
