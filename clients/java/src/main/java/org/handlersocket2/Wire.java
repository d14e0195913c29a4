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
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A socket that never blocks by itself: reads and writes do what they can, and {@link #await} waits
 * for more. So a thread can read while it writes, and every wait has an end.
 */
class Wire {
  final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;

  private Wire(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.configureBlocking(false);
    selector = Selector.open();
    key = channel.register(selector, 0);
  }

  Wire(Wire below) {
    channel = below.channel;
    selector = below.selector;
    key = below.key;
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
    Wire wire = null;
    try {
      wire = new Wire(channel);
      if (!channel.connect(to)) {
        do {
          wire.select(SelectionKey.OP_CONNECT, deadline);
        } while (!channel.finishConnect());
      }
      return wire;
    } catch (IOException | RuntimeException e) {
      if (wire != null) {
        wire.close();
      } else {
        channel.close();
      }
      throw e;
    }
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

  /** Reads what there is: how many bytes, 0 when there are none yet, -1 at the end. */
  int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  /** Takes bytes to be written, as many as it can. */
  void write(ByteBuffer from) throws IOException {
    channel.write(from);
  }

  /** Writes bytes that were taken, and tells whether none is left. */
  boolean flush() throws IOException {
    return true;
  }

  /** Waits until there is something to read or, when this is wanted, room to write. */
  void await(boolean write, Deadline deadline) throws IOException {
    select(SelectionKey.OP_READ | (write ? SelectionKey.OP_WRITE : 0), deadline);
  }

  private void select(int operations, Deadline deadline) throws IOException {
    long millis = deadline.millis();
    key.interestOps(operations);
    selector.select(millis);
    selector.selectedKeys().clear();
    if (Thread.currentThread().isInterrupted()) {
      throw new IOException("the thread was interrupted");
    }
  }

  /** Tells whether an idle connection can still be used: there is nothing to read from it. */
  boolean isQuiet() {
    try {
      return read(ByteBuffer.allocate(1)) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  void close() {
    try {
      selector.close();
      channel.close();
    } catch (IOException e) {
      // It is closed in any case.
    }
  }
}
