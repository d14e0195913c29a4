package org.handlersocket2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Replies that are well formed, and none to what was asked: never a row or a number. */
class LiesTest {
  private static final String COLUMNS =
      "0\t8\tn\tint(11)\tNO\t\t\0\t\t\0\t\tf\tdouble\tNO\t\t\0\t\t\0\t\n";
  private static final String INDEX = "0\t6\tPRIMARY\t1\tn\t1\tA\t\0\n";

  private static String usual(String line) {
    if (line.startsWith("H")) {
      return FakeServer.HELLO;
    } else if (line.endsWith("\tI")) {
      return INDEX;
    }
    return line.startsWith("D") ? COLUMNS : "0\t1\n";
  }

  private static FakeServer lying(String request, String lie) throws IOException {
    return new FakeServer(line -> line.startsWith(request) ? lie + "\n" : usual(line));
  }

  /** Expects that each lie to such requests is refused, and ends its connection. */
  private static void refuse(String request, Consumer<Client> call, String... lies)
      throws IOException {
    for (String lie : lies) {
      try (FakeServer server = lying(request, lie);
          Client client = Client.connect(server.url())) {
        for (int connections = 1; connections <= 2; connections++) {
          ProtocolError error =
              assertThrows(ProtocolError.class, () -> call.accept(client), () -> "took " + lie);
          assertTrue(error.sent());
          assertEquals(connections, server.connections.get(), "kept behind " + lie);
        }
      }
    }
  }

  private static Table table(Client client, String... columns) {
    return client.table("d.t").columns(columns);
  }

  private static final Row ROW = Row.of("n", 1, "f", 2);
  private static final String BEYOND = "0\t2\t1\t18446744073709551616";

  @Test
  void rowsOfAnotherWidthAreNoRows() throws IOException {
    String[] lies = {"0\t0", "0\t1", "0\t1\t1", "0\t3\t1\t2\t3", "0\t4\t1\t2\t3\t4"};
    refuse("0\t", client -> table(client, "n", "f").get(1), lies);
    refuse("0\t", client -> table(client, "n", "f").getMany(List.of(1)), lies);
    refuse("0\t", client -> table(client, "n", "f").find("=", 1, new Query().limit(9)), lies);
  }

  @Test
  void aFindGivesNoMoreRowsThanItsLimit() throws IOException {
    refuse("0\t", client -> table(client, "n").get(1), "0\t1\t1\t2");
    refuse("0\t", client -> table(client, "n").find("=", 1, new Query().limit(2)), "0\t1\t1\t2\t3");
  }

  @Test
  void whatIsNoNumberIsNoCount() throws IOException {
    String[] lies = {
      "0\t1",
      "0\t0",
      "0\t1\t-5",
      "0\t1\t+1",
      "0\t1\t1_0",
      "0\t1\t 1",
      "0\t1\tabc",
      "0\t1\t",
      "0\t1\t\0",
      "0\t1\t1e26",
      "0\t1\t1\t1",
      "0\t3\t1\t1\t1",
      "0\t1\t\u0661",
      "0\t1\t9223372036854775808"
    };
    refuse("0\t", client -> table(client, "n").count("=", 1), lies);
    refuse("0\t", client -> table(client, "n").exists(1), lies);
    refuse("0\t", client -> table(client, "n").update(1, ROW), lies);
    refuse("0\t", client -> table(client, "n").delete(1), lies);
    refuse("0\t", client -> table(client, "n").increment(1, ROW), lies);
  }

  @Test
  void whatWasAddedIsANumberThatItsVerbHas() throws IOException {
    refuse(
        "0\t", client -> table(client, "n").insertIgnore(ROW), "0\t1\t2", "0\t2\t1\tabc", BEYOND);
    refuse("0\t", client -> table(client, "n").upsert(ROW), "0\t1\t3", "0\t3\t1\t1\t1", BEYOND);
    refuse("0\t", client -> table(client, "n").replace(ROW), "0\t1\t0", "0\t1", BEYOND);
  }

  @Test
  void whatIsNoIdIsNone() throws IOException {
    refuse(
        "0\t",
        client -> table(client, "n").insert(ROW),
        "0\t1\tabc",
        "0\t1\t-1",
        "0\t2\t1\t1",
        "0\t1\t1\t1",
        "0\t1\t\0",
        "0\t0",
        "0\t1\t18446744073709551616");
  }

  @Test
  void indexesAndTransactionsHaveNothingToTell() throws IOException {
    refuse("P", client -> table(client, "n").get(1), "0\t1\t1", "0\t3\ta\tb\tc");
    for (String request : List.of("T\tB", "T\tC")) {
      refuse(request, client -> client.transaction(transaction -> null), "0\t1\t5", "0\t2\t5\t6");
    }
  }

  @Test
  void whatDescribesNothingIsNoDescription() throws IOException {
    refuse("D", client -> client.table("d.t").get(1), "0\t1\tx", "0\t9\t\t\t\t\t\t\t\t\t");
  }

  @Test
  void whatItsColumnCannotHoldIsNoValue() throws IOException {
    String[] lies = {
      "0\t1\t",
      "0\t1\t 1",
      "0\t1\t+1",
      "0\t1\t1_0",
      "0\t1\t1.5",
      "0\t1\tabc",
      "0\t1\t99999999999999999999"
    };
    refuse("0\t=", client -> table(client, "n").get(1), lies);
    refuse("0\t>", client -> table(client, "n").range(new Range().from(1)).iterator().next(), lies);
    refuse(
        "0\t=",
        client -> table(client, "f").get(1),
        "0\t1\t",
        "0\t1\tNaN",
        "0\t1\t1d",
        "0\t1\t0x1p4",
        "0\t1\t1e999",
        "0\t1\t 1",
        "0\t1\t+1");
  }

  @Test
  void theColumnsOfATableThatWasAlteredAreAskedForAgain() throws IOException {
    try (FakeServer server = lying("0\t", "0\t1\tabc");
        Client client = Client.connect(server.url())) {
      for (int asked = 1; asked <= 2; asked++) {
        assertThrows(ProtocolError.class, () -> table(client, "n").get(1));
        assertEquals(asked, server.lines.stream().filter(line -> line.startsWith("D")).count());
      }
    }
  }

  @Test
  void aValueThatTheProgramsTypeCannotHoldKeepsTheConnection() throws IOException {
    try (FakeServer server = lying("0\t", "0\t1\t3000000000");
        Client client = Client.connect(server.url())) {
      for (int i = 0; i < 2; i++) {
        Row row = table(client, "n").get(1);
        assertThrows(ValueError.class, () -> row.getInt("n"));
      }
      assertEquals(1, server.connections.get());
    }
  }

  @Test
  void aReplyBehindOneToSomethingElseIsNone() throws IOException {
    try (FakeServer server = lying("0\t=\t1\t1", "0\t1\t1\t2\t3\n0\t1\t5");
        Client client = Client.connect(server.url())) {
      Pipeline pipeline = client.pipeline();
      Result<Row> wrong = pipeline.add(table(client, "n").call().get(1));
      Result<Row> behind = pipeline.add(table(client, "n").call().get(2));
      assertThrows(ProtocolError.class, pipeline::run);
      assertThrows(ProtocolError.class, wrong::get);
      assertThrows(ProtocolError.class, behind::get);
    }
  }

  /** Whoever lists the values of such a reply finds escapes that are none. */
  @Test
  void valuesThatNobodyAskedForAreNotListed() throws IOException {
    try (FakeServer server = lying("0\t", "0\t1\t1\t2" + "\t\1z".repeat(1000));
        Client client = Client.connect(server.url())) {
      ProtocolError error = assertThrows(ProtocolError.class, () -> table(client, "n").get(1));
      assertTrue(error.getMessage().contains("more values than were asked for"), error.toString());
    }
  }
}
