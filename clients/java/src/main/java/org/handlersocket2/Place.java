package org.handlersocket2;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A pool of connections to one address. It is safe for threads. */
final class Place {
  private final Options options;
  private final Tls tls;
  private final Address to;
  private final Semaphore slots;
  private final Deque<Connection> idle = new ArrayDeque<>(); // The one used last is the last.
  private boolean closed;
  private boolean reaping;

  Place(Options options, Tls tls, Address to) {
    this.options = options;
    this.tls = tls;
    this.to = to;
    slots = new Semaphore(options.number("pool_size"), true);
  }

  /** Returns a connection for reads or a change, and waits for one while all are in use. */
  Connection take(boolean change) {
    acquire();
    boolean taken = false;
    try {
      Connection connection = pop();
      while (connection != null && !connection.isAlive(change)) {
        connection.close();
        connection = pop();
      }
      if (connection == null) {
        connection = Connection.open(options, tls, to);
      } else {
        connection.reused = true;
      }
      taken = true;
      return connection;
    } finally {
      if (!taken) {
        slots.release();
      }
    }
  }

  private void acquire() {
    long timeout = options.nanos("timeout");
    try {
      if (timeout == 0) {
        slots.acquire();
      } else if (!slots.tryAcquire(timeout, TimeUnit.NANOSECONDS)) {
        throw new TimeoutError("all connections to " + to + " are in use", false, null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectionError("the thread was interrupted", false, e);
    }
  }

  private synchronized Connection pop() {
    if (closed) {
      throw new ClosedError();
    }
    return idle.pollLast();
  }

  /** The idle connections that have changed something of which the GTID is not known. */
  synchronized List<Connection> takeChanged() {
    List<Connection> changed = new ArrayList<>();
    for (Connection connection : List.copyOf(idle)) {
      if (connection.changed && slots.tryAcquire()) {
        idle.remove(connection);
        changed.add(connection);
      }
    }
    return changed;
  }

  /** Takes a connection back. */
  void give(Connection connection) {
    if (!keep(connection)) {
      connection.close();
    }
    slots.release();
  }

  private synchronized boolean keep(Connection connection) {
    long maxIdle = options.nanos("max_idle");
    if (connection.broken) {
      idle.forEach(other -> other.doubtful = true);
    }
    if (connection.broken || closed) {
      return false;
    }
    connection.doubtful = false;
    connection.idleSince = System.nanoTime();
    idle.addLast(connection);
    if (!reaping && maxIdle > 0) {
      reapAfter(maxIdle);
    }
    return true;
  }

  private void reapAfter(long nanos) {
    reaping = true;
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(this::reap);
  }

  /** Closes the connections that were not used for too long. */
  private synchronized void reap() {
    long maxIdle = options.nanos("max_idle");
    long now = System.nanoTime();
    reaping = false;
    while (!idle.isEmpty() && now - idle.getFirst().idleSince >= maxIdle) {
      idle.removeFirst().close();
    }
    if (!idle.isEmpty()) {
      reapAfter(maxIdle - (now - idle.getFirst().idleSince));
    }
  }

  synchronized void close() {
    closed = true;
    idle.forEach(Connection::close);
    idle.clear();
  }

  /** The client was closed: nothing is tried again. */
  static final class ClosedError extends ConnectionError {
    private static final long serialVersionUID = 1L;

    ClosedError() {
      super("the client is closed", false, null);
    }
  }
}
