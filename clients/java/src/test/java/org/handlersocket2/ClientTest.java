package org.handlersocket2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClientTest {
  private static String echo(String line) {
    if (line.startsWith("P\t")) {
      return "0\t1\n";
    } else if (line.startsWith("D\t")) {
      return "0\t8\ta\tint(11)\tNO\tPRI\t\0\t\t\0\t\n";
    }
    return "0\t1\t" + line.split("\t")[3] + "\n";
  }

  @Test
  void anIndexIsOpenedOnceOnEachConnection() throws IOException {
    try (FakeServer server = new FakeServer(ClientTest::echo);
        Client client = Client.connect(server.url())) {
      Table table = client.table("d.t").columns("a");
      assertEquals(7, table.get(7).getLong("a"));
      assertEquals(8, table.get(8).getLong("a"));
      assertEquals(1, server.lines.stream().filter(line -> line.startsWith("P")).count());
      assertEquals(1, server.connections.get());
    }
  }

  @Test
  void anIndexThatIsRefusedIsAskedForAgain() throws IOException {
    AtomicInteger refusals = new AtomicInteger(1);
    try (FakeServer server =
            new FakeServer(
                line ->
                    line.startsWith("P") && refusals.getAndDecrement() > 0
                        ? "1\t1\topen_table\n"
                        : echo(line));
        Client client = Client.connect(server.url())) {
      Table table = client.table("d.t").columns("a");
      assertThrows(NotFoundError.class, () -> table.get(1));
      assertEquals(1, table.get(1).getLong("a"));
    }
  }

  @Test
  void moreIndexesThanAConnectionMayHaveReplaceTheOldest() throws IOException {
    try (FakeServer server = new FakeServer(ClientTest::echo);
        Client client = Client.connect(server.url())) {
      for (int round = 0; round < 2; round++) {
        Pipeline pipeline = client.pipeline();
        List<Result<Row>> results = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
          results.add(pipeline.add(client.table("d.t" + i).columns("a").call().get(i)));
        }
        pipeline.run();
        for (int i = 0; i < 300; i++) {
          assertEquals(i, results.get(i).get().getLong("a"));
        }
      }
      assertTrue(
          server.lines.stream()
              .filter(line -> line.startsWith("P"))
              .allMatch(line -> Integer.parseInt(line.split("\t")[1]) < 256));
    }
  }

  @Test
  void aPipelineEndsWithItsConnection() throws IOException {
    AtomicInteger changes = new AtomicInteger();
    try (FakeServer server =
            new FakeServer(
                line ->
                    line.contains("\t+\t") && changes.incrementAndGet() == 256
                        ? "1\t1\tmax_memory\n"
                        : "0\t1\n");
        Client client = Client.connect(server.url())) {
      Pipeline pipeline = client.pipeline();
      List<Result<Long>> results = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        Table table = client.table("d.t" + i).columns("a").raw();
        results.add(pipeline.add(table.call().insert(Row.of("a", 1))));
      }
      assertTrue(assertThrows(ConnectionError.class, pipeline::run).sent());
      assertThrows(OverloadedError.class, results.get(255)::get);
      for (Result<Long> result : results.subList(256, 300)) {
        assertTrue(assertThrows(ConnectionError.class, result::get).sent());
      }
      assertEquals(256, server.lines.stream().filter(line -> line.startsWith("P")).count());
    }
  }

  @Test
  void aCallThatCannotBeMadeLeavesNothingInItsPipeline() throws IOException {
    try (FakeServer server = new FakeServer(ClientTest::echo);
        Client client = Client.connect(server.url())) {
      Table table = client.table("d.t").columns("a");
      Pipeline pipeline = client.pipeline();
      Result<Row> first = pipeline.add(table.call().get(7));
      Result<Row> wrong = pipeline.add(table.call().get(List.of(8, new Object())));
      Result<Row> last = pipeline.add(table.call().get(9));
      assertThrows(ConnectionError.class, first::get, "it has not run");
      pipeline.run();
      assertEquals(7, first.get().getLong("a"));
      assertThrows(ValueError.class, wrong::get);
      assertEquals(9, last.get().getLong("a"));
      assertEquals(
          List.of("0\t=\t1\t7", "0\t=\t1\t9"),
          server.lines.stream().filter(line -> line.contains("\t=\t")).collect(toList()));
    }
  }

  @Test
  void aReadIsSentAgainAndAChangeIsNot() throws IOException {
    AtomicInteger breaks = new AtomicInteger();
    try (FakeServer server =
            new FakeServer(
                line ->
                    line.contains("\t=\t") && breaks.getAndDecrement() > 0 ? null : echo(line));
        Client client = Client.connect(server.url())) {
      Table table = client.table("d.t").columns("a");
      breaks.set(2);
      assertEquals(7, table.get(7).getLong("a"));
      breaks.set(1);
      ConnectionError lost =
          assertThrows(ConnectionError.class, () -> table.update(1, Row.of("a", 2)));
      assertTrue(lost.sent());
      breaks.set(9);
      assertThrows(ConnectionError.class, () -> table.get(7));
    }
  }

  @Test
  void manyRequestsWithLongRepliesDoNotBlockEachOther() throws IOException {
    String wide = "x".repeat(20_000);
    try (FakeServer server = new FakeServer(ClientTest::echo);
        Client client = Client.connect(server.url())) {
      Table table = client.table("d.t").columns("a").raw();
      Pipeline pipeline = client.pipeline();
      List<Result<Row>> results = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        results.add(pipeline.add(table.call().get(wide)));
      }
      pipeline.run();
      for (Result<Row> result : results) {
        assertEquals(20_000, result.get().getBytes("a").length);
      }
    }
  }

  @Test
  void rawTakesOnlyWhatIsOfNoConnection() {
    try (Client client = Client.connect("hs://127.0.0.1:1")) {
      for (String line : List.of("P 0 t u PRIMARY a", "0 = 1 1", "T B", "A 1 x")) {
        assertThrows(ValueError.class, () -> client.raw(Port.WRITE, line.split(" ")));
      }
    }
  }

  @Test
  void whatIsNoReplyClosesTheConnection() throws IOException {
    try (FakeServer server = new FakeServer(line -> "HTTP/1.1 400\n");
        Client client = Client.connect(server.url())) {
      assertThrows(ProtocolError.class, () -> client.raw(Port.READ, "D"));
      assertThrows(ProtocolError.class, () -> client.raw(Port.READ, "D"));
      assertEquals(2, server.connections.get());
    }
  }

  private static void greetAsSql(ServerSocket listener) {
    while (true) {
      try (Socket one = listener.accept()) {
        one.getOutputStream().write("J\0\0\0\n11.4.2-MariaDB\0".getBytes(US_ASCII));
        one.getInputStream().readAllBytes();
      } catch (IOException e) {
        if (listener.isClosed()) {
          return;
        }
      }
    }
  }

  @Test
  void thePortOfAnotherProgramIsTold() throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> greetAsSql(listener));
      thread.setDaemon(true);
      thread.start();
      String place = "127.0.0.1:" + listener.getLocalPort();
      try (Client client = Client.connect("hs://" + place + "?retries=0")) {
        ProtocolError error = assertThrows(ProtocolError.class, client::ping);
        String told = "no connection to " + place + ": no reply of the protocol: ";
        assertTrue(error.getMessage().startsWith(told), error.toString());
        assertTrue(error.getMessage().endsWith("or that of SQL?"), error.toString());
        assertFalse(error.sent());
      }
      try (Client client = Client.connect("hs://" + place + "?retries=0&tls=require")) {
        ConnectionError error = assertThrows(ConnectionError.class, client::ping);
        assertTrue(error.getMessage().startsWith("no TLS with " + place), error.toString());
      }
    }
  }

  @Test
  void rowsOfOtherColumnsThanWereAskedForCloseTheConnection() throws IOException {
    for (String lie : List.of("0\t0\n", "0\t2\n", "0\t2\t1\t2\n", "0\t3\t1\t2\t3\n")) {
      try (FakeServer server = new FakeServer(line -> line.startsWith("P\t") ? "0\t1\n" : lie);
          Client client = Client.connect(server.url())) {
        Table table = client.table("d.t").columns("a").raw();
        assertThrows(ProtocolError.class, () -> table.get(1), lie);
        assertThrows(ProtocolError.class, () -> table.find(">=", 1, new Query()), lie);
        Returning changed = table.returning(When.BEFORE);
        Row row = Row.of("a", 2);
        assertThrows(ProtocolError.class, () -> changed.update(1, row, new Query()), lie);
        assertEquals(3, server.connections.get(), lie);
      }
    }
  }

  @Test
  void changesOfAPipelineGiveRows() throws IOException {
    List<String> marks = List.of("\tU?\t", "\tU!\t", "\tD?", "\t+!\t", "\t+\t");
    try (FakeServer server =
            new FakeServer(
                line ->
                    line.startsWith("P\t")
                        ? "0\t1\n"
                        : "0\t1\t"
                            + marks.stream().filter(line::contains).findFirst().get().trim()
                            + "\n");
        Client client = Client.connect(server.url())) {
      Table table = client.table("d.t").columns("a").raw();
      Pipeline pipeline = client.pipeline();
      Row row = Row.of("a", 2);
      Calls calls = table.call();
      List<Result<List<Row>>> results =
          List.of(
              pipeline.add(calls.returning(When.BEFORE).update(1, row, new Query())),
              pipeline.add(calls.returning(When.AFTER).update(1, row, new Query())),
              pipeline.add(calls.returning(When.BEFORE).delete(1, new Query())),
              pipeline.add(calls.returning(When.AFTER).increment(1, row, new Query())));
      pipeline.run();
      List<String> given = new ArrayList<>();
      for (Result<List<Row>> result : results) {
        given.add(new String(result.get().get(0).getBytes("a"), US_ASCII));
      }
      assertEquals(List.of("U?", "U!", "D?", "+!"), given);
    }
  }

  @Test
  void aServerThatIsSilentIsATimeout() throws IOException {
    try (FakeServer server = new FakeServer(line -> "");
        Client client = Client.connect(server.url() + "&timeout=0.05")) {
      TimeoutError error = assertThrows(TimeoutError.class, () -> client.raw(Port.WRITE, "x"));
      assertTrue(error.sent());
    }
  }

  @Test
  void aClientThatIsClosedSaysSo() throws IOException {
    try (FakeServer server = new FakeServer(ClientTest::echo)) {
      Client client = Client.connect(server.url());
      client.ping();
      client.close();
      ConnectionError error = assertThrows(ConnectionError.class, client::ping);
      assertFalse(error.sent());
    }
  }

  @Test
  void theHookIsToldOfEachCall() throws IOException {
    List<String> told = new ArrayList<>();
    try (FakeServer server = new FakeServer(ClientTest::echo);
        Client client =
            Client.connect(
                Options.builder(server.url())
                    .onRequest((kind, table, elapsed, error) -> told.add(kind + " " + table))
                    .build())) {
      client.table("d.t").columns("a").get(1);
      assertEquals(List.of("describe d.t", "get d.t"), told);
    }
  }

  @Test
  void aHookThatThrowsChangesNothing() throws IOException {
    try (FakeServer server = new FakeServer(line -> "0\t1\n");
        Client client =
            Client.connect(
                Options.builder(server.url() + "&pool_size=1&timeout=1")
                    .onRequest(
                        (kind, table, elapsed, error) -> {
                          throw new IllegalStateException(kind);
                        })
                    .build())) {
      for (int i = 0; i < 3; i++) {
        Transaction transaction = client.begin();
        transaction.commit();
        transaction.close();
      }
      assertEquals(1, server.connections.get());
    }
  }

  /** A table whose index has the first character of a, and the rows xA xb xC xd xE. */
  private static String prefixed(String line) {
    if (line.endsWith("\tI")) {
      return "0\t6\tPRIMARY\t1\ta\t0\tA\t1\n";
    } else if (line.startsWith("D\t")) {
      return "0\t8\ta\tvarchar(9)\tNO\t\t\0\t\t\0\t\n";
    } else if (line.startsWith("P\t")) {
      return "0\t1\n";
    }
    String[] tokens = line.split("\t");
    List<String> rows = List.of("xA", "xb", "xC", "xd", "xE");
    int from = tokens.length > 5 ? Integer.parseInt(tokens[5]) : 0;
    int to = Math.min(rows.size(), from + Integer.parseInt(tokens[4]));
    return "0\t1\t" + String.join("\t", rows.subList(from, to)) + "\n";
  }

  @Test
  void aRangeOverTheBeginningsOfAColumnHasEachRowOnce() throws IOException {
    try (FakeServer server = new FakeServer(ClientTest::prefixed);
        Client client = Client.connect(server.url())) {
      List<String> found = new ArrayList<>();
      Range range = new Range().from("x").page(2);
      client.table("d.t").range(range).forEach(row -> found.add(row.getString("a")));
      assertEquals(List.of("xA", "xb", "xC", "xd", "xE"), found);
    }
  }

  @Test
  void rowsBecomeObjectsAndObjectsRows() {
    Row row = Row.of("user_id", 7L, "user_name", "x", "ratio", null);
    User user = row.as(User.class);
    assertEquals(7, user.userId);
    assertEquals("x", user.userName);
    assertNull(user.ratio);
    assertEquals(row.toString(), Records.row(user).toString());
    assertThrows(ValueError.class, () -> Row.of("user_id", null).as(User.class));
    assertThrows(ValueError.class, () -> Row.of("n", 1L << 40).getInt("n"));
    assertThrows(ValueError.class, () -> Row.of("n", 1).getInt("m"));
  }

  static class User {
    long userId;
    String userName;
    Double ratio;
  }
}
