package org.handlersocket2;

/**
 * The result of one call of a pipeline.
 *
 * @param <T> of what type it is
 */
public final class Result<T> {
  private T value;
  private HandlerSocketError error;

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

  void set(Result<T> other) {
    value = other.value;
    error = other.error;
  }

  /** Returns the error of this call alone, or null. */
  public HandlerSocketError error() {
    return error;
  }

  /**
   * Returns the result.
   *
   * @throws HandlerSocketError the error of this call alone
   */
  public T get() {
    if (error != null) {
      throw error;
    }
    return value;
  }
}
