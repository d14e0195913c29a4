package org.handlersocket2;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.ReplyReader;

/** A socket with its login, its timeouts and its open indexes. It is for one thread at a time. */
final class Connection {
  private static final int FITS = 64 << 10; // Bytes that a socket takes while nobody reads.
  private static final long TRUSTED = 100_000_000; // Nanoseconds.

  private final ReplyReader reader = new ReplyReader();
  private final Wire wire;
  final boolean secure; // A Unix socket, or TLS whose certificate was looked at.
  final Indexes indexes = new Indexes();

  boolean greeted; // The server has told its features.
  boolean original; // It is a server of the original's kind.
  List<String> features = List.of();
  boolean broken;
  boolean ends; // The server has said that it ends it, or may.
  boolean reused;
  boolean doubtful; // Another one of its place has ended since it was used.
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
        encrypted.handshake();
        wire = encrypted;
      }
      boolean secure = to.isUnix() || options.text("tls").equals("verify");
      Connection connection = new Connection(wire, secure, deadline);
      new Login(connection, options, to.secret).run();
      return connection;
    } catch (IOException e) {
      abort(wire);
      if (wire != null && !wire.finish()) {
        throw new TimeoutError("no connection to " + to + ": it took too long", false, e);
      }
      String what = e instanceof SSLException ? "no TLS with " : "no connection to ";
      throw new ConnectionError(what + to + ": " + e, false, e);
    } catch (ConnectionError e) {
      abort(wire);
      throw e.at(to);
    } catch (RuntimeException e) {
      abort(wire);
      throw e;
    }
  }

  private static void abort(Wire wire) {
    if (wire != null) {
      wire.abort();
    }
  }

  void close() {
    if (broken) {
      wire.abort();
    } else {
      wire.close();
    }
  }

  /**
   * Tells whether an idle connection can be used. That takes calls of the system; what may be sent
   * again is not worth them while the connection was in use a moment ago.
   */
  boolean isAlive(boolean change) {
    boolean trusted = !change && !doubtful && System.nanoTime() - idleSince < TRUSTED;
    return trusted || wire.isQuiet();
  }

  /** Tells whether the server can do this. One that wants a login tells so by itself. */
  boolean has(String feature) {
    return feature.isEmpty() || !greeted && !original || features.contains(feature);
  }

  /** Begins the time that exchanges may take from here on, in nanoseconds; 0: no bound. */
  void limit(long nanos) {
    deadline = Deadline.in(nanos);
  }

  /** Writes lines and reads a reply to each, of so many values at most. */
  void talk(Line lines, int count, long mostValues, Consumer<Reply> handle) {
    reader.setMostValues(mostValues);
    ByteBuffer out = lines.toBuffer();
    broken = true; // Unless all goes well.
    wire.begin(deadline);
    Writing writing = null;
    try {
      if (out.remaining() <= FITS) {
        wire.write(out);
      } else {
        writing = new Writing(wire, out);
      }
      receive(count, handle);
      if (writing != null) {
        writing.end();
      }
    } catch (IOException e) {
      wire.abort();
      boolean sent = writing == null ? out.position() > 0 : writing.hasBegun();
      if (!wire.finish()) {
        throw new TimeoutError("it took too long", sent, e);
      }
      throw new ConnectionError("the connection broke: " + e, sent, e);
    }
    // Replies that nobody has asked for are not to be taken for those of the next request.
    broken = !wire.finish() || reader.buffered() != 0 || ends;
  }

  private void receive(int count, Consumer<Reply> handle) throws IOException {
    for (int left = count; left > 0; ) {
      int received = wire.read(reader.space());
      if (received < 0) {
        throw new EOFException("the server closed it");
      }
      reader.filled(received);
      for (Reply reply = reader.next(); reply != null; reply = left > 0 ? reader.next() : null) {
        left--;
        ends |= reply.code() != 0 && ServerError.endsConnection(reply.text());
        handle.accept(reply);
      }
    }
  }
}
