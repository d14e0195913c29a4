package org.handlersocket2;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A server of one port that answers lines as a test says; null closes the connection. */
final class FakeServer implements AutoCloseable {
  static final String HELLO =
      "0\t6\t2\thandlersocket\t2\t10.11\tdescribe,count,transaction,upsert,returning\t1\n";

  final List<String> lines = new CopyOnWriteArrayList<>();
  final AtomicInteger connections = new AtomicInteger();
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Function<String, String> answer;

  FakeServer(Function<String, String> answer) throws IOException {
    this.answer = answer;
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
  }

  String url() {
    int port = listener.getLocalPort();
    return "hs://127.0.0.1:" + port + "?write_port=" + port;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        connections.incrementAndGet();
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      OutputStream out = socket.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
        String reply = line.startsWith("H\t") ? HELLO : answer.apply(line);
        if (reply == null) {
          return;
        }
        out.write(reply.getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException e) {
      // The client has closed.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
