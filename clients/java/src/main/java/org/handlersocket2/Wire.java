package org.handlersocket2;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A socket whose reads and writes wait: a lookup is one write and one read. {@link Watch} ends
 * those that take too long.
 */
class Wire {
  final SocketChannel channel;
  private final Watch watch;

  private Wire(SocketChannel channel) {
    this.channel = channel;
    watch = new Watch(this::abort);
  }

  Wire(Wire below) {
    channel = below.channel;
    watch = below.watch;
  }

  static Wire connect(Address to, Deadline deadline) throws IOException {
    if (to.isUnix()) {
      SocketChannel channel = openUnix();
      return connect(channel, unixAddress(to.path), deadline);
    }
    IOException failed = null;
    for (InetAddress address : InetAddress.getAllByName(to.host)) {
      try {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        return connect(channel, new InetSocketAddress(address, to.port), deadline);
      } catch (IOException e) {
        failed = e;
      }
    }
    throw failed;
  }

  private static Wire connect(SocketChannel channel, SocketAddress to, Deadline deadline)
      throws IOException {
    Wire wire = new Wire(channel);
    try {
      wire.begin(deadline);
      channel.connect(to);
      return wire;
    } catch (IOException | RuntimeException e) {
      wire.abort();
      if (wire.finish()) {
        throw e;
      }
      throw new TimeoutError("it took too long", false, e);
    }
  }

  /** An exchange begins, which must have ended at a deadline. */
  final void begin(Deadline deadline) {
    watch.begin(deadline);
  }

  /** The exchange has ended. Tells whether it was in time; else it was broken off. */
  final boolean finish() {
    return watch.finish();
  }

  private static SocketChannel openUnix() throws IOException {
    // UNIX is a member since Java 16 only, and so are the methods that are called by their names.
    for (ProtocolFamily family : StandardProtocolFamily.values()) {
      if (family.name().equals("UNIX")) {
        try {
          return (SocketChannel)
              SocketChannel.class.getMethod("open", ProtocolFamily.class).invoke(null, family);
        } catch (ReflectiveOperationException e) {
          throw new IOException(e instanceof InvocationTargetException ? e.getCause() : e);
        }
      }
    }
    throw new UnsupportedError("unix sockets", "Unix sockets need Java 16 or later");
  }

  private static SocketAddress unixAddress(String path) throws IOException {
    try {
      Class<?> type = Class.forName("java.net.UnixDomainSocketAddress");
      return (SocketAddress) type.getMethod("of", String.class).invoke(null, path);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e instanceof InvocationTargetException ? e.getCause() : e);
    }
  }

  /** Reads what has come, of which it waits for some: how many bytes, -1 at the end. */
  int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  /** Writes all bytes. */
  void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      channel.write(from);
    }
  }

  /** Tells whether an idle connection can still be used: there is nothing to read from it. */
  final boolean isQuiet() {
    try {
      channel.configureBlocking(false);
      boolean quiet = read(ByteBuffer.allocate(1)) == 0;
      channel.configureBlocking(true);
      return quiet;
    } catch (IOException e) {
      return false;
    }
  }

  /** Closes it at once, also under another thread that reads or writes. */
  final void abort() {
    try {
      channel.close();
    } catch (IOException e) {
      // It is closed in any case.
    }
  }

  /** Closes it, of which the other side is told where there is TLS. Nothing is under way. */
  void close() {
    abort();
  }
}
