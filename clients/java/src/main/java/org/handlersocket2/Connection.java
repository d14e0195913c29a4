package org.handlersocket2;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.ReplyReader;

/** A socket with its login, its timeouts and its open indexes. It is for one thread at a time. */
final class Connection {
  private final ReplyReader reader = new ReplyReader();
  private final Wire wire;
  final boolean secure; // A Unix socket, or TLS whose certificate was looked at.
  final Indexes indexes = new Indexes();

  boolean greeted; // The server has told its features.
  boolean original; // It is a server of the original's kind.
  List<String> features = List.of();
  boolean broken;
  boolean reused;
  boolean changed; // There was a change since its GTID was asked for.
  String applied = ""; // The GTIDs that this replica is known to have.
  long idleSince;
  private Deadline deadline;

  private Connection(Wire wire, boolean secure, Deadline deadline) {
    this.wire = wire;
    this.secure = secure;
    this.deadline = deadline;
  }

  /** Opens a connection and logs in. What fails has sent no request. */
  static Connection open(Options options, Tls tls, Address to) {
    Deadline deadline = Deadline.in(options.nanos("connect_timeout"));
    Wire wire = null;
    try {
      wire = Wire.connect(to, deadline);
      if (tls != null) {
        TlsWire encrypted =
            new TlsWire(wire, tls.engine(to.isUnix() ? options.text("host") : to.host));
        encrypted.handshake(deadline);
        wire = encrypted;
      }
      boolean secure = to.isUnix() || options.text("tls").equals("verify");
      Connection connection = new Connection(wire, secure, deadline);
      new Login(connection, options, to.secret).run();
      return connection;
    } catch (IOException e) {
      close(wire);
      throw new ConnectionError(to + ": " + e, false, e);
    } catch (ConnectionError e) {
      close(wire);
      throw e.withSent(false);
    } catch (RuntimeException e) {
      close(wire);
      throw e;
    }
  }

  private static void close(Wire wire) {
    if (wire != null) {
      wire.close();
    }
  }

  void close() {
    wire.close();
  }

  boolean isAlive() {
    return wire.isQuiet();
  }

  /** Tells whether the server can do this. One that wants a login tells so by itself. */
  boolean has(String feature) {
    return feature.isEmpty() || !greeted && !original || features.contains(feature);
  }

  /** Begins the time that exchanges may take from here on, in nanoseconds; 0: no bound. */
  void limit(long nanos) {
    deadline = Deadline.in(nanos);
  }

  /** Writes lines and reads a reply to each, at the same time, so that nobody waits for ever. */
  void talk(Line lines, int count, Consumer<Reply> handle) {
    ByteBuffer out = lines.toBuffer();
    int left = count;
    int received = 0;
    broken = true; // Unless all goes well.
    try {
      while (left > 0) {
        if (out.hasRemaining()) {
          wire.write(out);
        }
        boolean written = wire.flush() && !out.hasRemaining();
        if (received == 0) { // There is hardly an answer at once: so there is one read less.
          wire.await(!written, deadline);
        }
        received = receive();
        for (Reply reply = reader.next(); reply != null; reply = left > 0 ? reader.next() : null) {
          left--;
          handle.accept(reply);
        }
      }
    } catch (IOException e) {
      throw new ConnectionError("the connection broke: " + e, isSent(out), e);
    } catch (TimeoutError e) {
      throw e.withSent(isSent(out));
    }
    // Replies that nobody has asked for are not to be taken for those of the next request.
    broken = out.hasRemaining() || reader.buffered() != 0;
  }

  private static boolean isSent(ByteBuffer out) {
    return out.position() > 0;
  }

  private int receive() throws IOException {
    int count = wire.read(reader.space());
    if (count < 0) {
      throw new EOFException("the server closed it");
    }
    reader.filled(count);
    return count;
  }
}
