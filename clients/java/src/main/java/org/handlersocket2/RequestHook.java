package org.handlersocket2;

import java.time.Duration;

/** Is told of each call, for metrics and tracing. It may be called from many threads at once. */
@FunctionalInterface
public interface RequestHook {
  /**
   * Is called after each call.
   *
   * @param kind the call's name, as "get"
   * @param table database and table, or empty
   * @param elapsed how long the call took
   * @param error null, or with what the call failed
   */
  void onRequest(String kind, String table, Duration elapsed, HandlerSocketError error);
}
