package org.handlersocket2;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Breaks off an exchange that takes too long. A thread that reads has no call of the system for its
 * timeout then: one timer, which is set anew when it fires, looks after all exchanges of a socket.
 */
final class Watch {
  private static final Executor AT_ONCE = Runnable::run; // A pool may be busy with our own calls.

  private final Runnable breakOff;
  private Deadline deadline; // Null: nothing is under way.
  private boolean expired;
  private boolean set; // A timer fires at firesAt.
  private long firesAt;

  /** Takes what ends the reads and writes that are under way, from another thread. */
  Watch(Runnable breakOff) {
    this.breakOff = breakOff;
  }

  /** An exchange begins. */
  synchronized void begin(Deadline end) {
    if (!end.none && (!set || end.end - firesAt < 0)) {
      setTimer(end.end - System.nanoTime());
    }
    deadline = end;
  }

  /**
   * The exchange has ended; tells whether it was in time. Else the socket is of no use any more.
   */
  synchronized boolean finish() {
    deadline = null;
    return !expired;
  }

  private void setTimer(long nanos) {
    set = true;
    firesAt = System.nanoTime() + nanos;
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, AT_ONCE).execute(this::fire);
  }

  private synchronized void fire() {
    set = false;
    if (deadline == null || deadline.none) {
      return;
    }
    long left = deadline.end - System.nanoTime();
    if (left > 0) {
      setTimer(left);
    } else {
      expired = true;
      breakOff.run();
    }
  }
}
