package org.handlersocket2;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/** A socket with TLS. */
final class TlsWire extends Wire {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private ByteBuffer received; // From the network; ready to be filled.
  private ByteBuffer toSend; // To the network; ready to be read.
  private ByteBuffer plain; // From the engine; ready to be read.

  TlsWire(Wire below, SSLEngine engine) {
    super(below);
    this.engine = engine;
    received = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    toSend = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).limit(0);
    plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
  }

  void handshake() throws IOException {
    engine.beginHandshake();
    while (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
      if (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
        runTasks();
      } else if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
        write(NOTHING);
      } else if (!unwrap() && super.read(received) < 0) {
        throw new EOFException("the server closed the connection in the TLS handshake");
      }
    }
  }

  @Override
  int read(ByteBuffer into) throws IOException {
    while (!plain.hasRemaining()) {
      if (engine.isInboundDone()) {
        return -1;
      }
      if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
        write(NOTHING);
      } else if (!unwrap()) {
        int count = super.read(received);
        if (count <= 0) {
          return count;
        }
      }
    }
    int count = Math.min(into.remaining(), plain.remaining());
    into.put(plain.slice().limit(count));
    plain.position(plain.position() + count);
    return count;
  }

  /** Decrypts one record; false when it has not wholly come. */
  private boolean unwrap() throws SSLException {
    received.flip();
    plain.clear();
    SSLEngineResult result = engine.unwrap(received, plain);
    received.compact();
    plain.flip();
    runTasks();
    if (result.getStatus() == Status.BUFFER_OVERFLOW) {
      plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
    } else if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
      if (!received.hasRemaining()) {
        int size = Math.max(received.capacity() * 2, engine.getSession().getPacketBufferSize());
        received = ByteBuffer.allocate(size).put(received.flip());
      }
      return false;
    }
    return true;
  }

  /** Another thread may read meanwhile, and a read may have to write. */
  @Override
  synchronized void write(ByteBuffer from) throws IOException {
    do {
      toSend.clear();
      SSLEngineResult result = engine.wrap(from, toSend);
      toSend.flip();
      runTasks();
      if (result.getStatus() == Status.BUFFER_OVERFLOW) {
        toSend = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).limit(0);
      } else if (result.getStatus() == Status.CLOSED) {
        throw new EOFException("the server closed the connection");
      }
      super.write(toSend);
    } while (from.hasRemaining());
  }

  private void runTasks() {
    Runnable task = engine.getDelegatedTask();
    while (task != null) {
      task.run();
      task = engine.getDelegatedTask();
    }
  }

  @Override
  void close() {
    engine.closeOutbound();
    try {
      write(NOTHING); // The close_notify.
    } catch (IOException e) {
      // The other side is gone.
    }
    super.close();
  }
}
