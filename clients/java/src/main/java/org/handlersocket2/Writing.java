package org.handlersocket2;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A thread that writes a large piece while another reads the replies, so that neither side waits
 * for the other for ever.
 */
final class Writing {
  private final Wire wire;
  private final ByteBuffer out;
  private final Thread thread;
  private volatile IOException failed;

  Writing(Wire wire, ByteBuffer out) {
    this.wire = wire;
    this.out = out;
    thread = new Thread(this::write, "handlersocket2-writing");
    thread.setDaemon(true);
    thread.start();
  }

  private void write() {
    try {
      wire.write(out);
    } catch (IOException e) {
      failed = e; // Whoever reads finds it broken, too.
    }
  }

  /** Waits until all is written. */
  void end() throws IOException {
    join();
    if (failed != null) {
      throw failed;
    }
  }

  /** Tells whether something was written, or may have been, of a wire that is closed. */
  boolean hasBegun() {
    join();
    return out.position() > 0;
  }

  private void join() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        wire.abort();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
