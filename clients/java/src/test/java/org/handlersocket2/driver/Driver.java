package org.handlersocket2.driver;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.handlersocket2.Client;
import org.handlersocket2.HandlerSocketError;
import org.handlersocket2.Isolation;
import org.handlersocket2.Options;
import org.handlersocket2.Pipeline;
import org.handlersocket2.Port;
import org.handlersocket2.RawReply;
import org.handlersocket2.Result;
import org.handlersocket2.Table;
import org.handlersocket2.Transaction;

/** Carries out what the acceptance script asks for: see clients/acceptance/README.md. */
public final class Driver {
  private Client client;
  private Transaction transaction;
  private final List<Table> tables = new ArrayList<>();

  private Driver() {}

  /** Answers each line of the input by one of the output. */
  public static void main(String[] arguments) throws IOException {
    Gson gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    Driver driver = new Driver();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.print(gson.toJson(driver.answer(JsonParser.parseString(line).getAsJsonObject())) + "\n");
      out.flush();
    }
    System.exit(0);
  }

  private JsonObject answer(JsonObject order) {
    try {
      return Json.ok(carryOut(order));
    } catch (HandlerSocketError e) {
      return Json.error(e);
    }
  }

  /** Sets an option as a program does, where its type can hold the value. */
  private static void set(Options.Builder options, Map.Entry<String, JsonElement> one) {
    if (one.getValue().getAsJsonPrimitive().isString()) {
      options.set(one.getKey(), one.getValue().getAsString());
      return;
    }
    BigDecimal value = one.getValue().getAsBigDecimal();
    boolean whole = value.scale() <= 0 && value.abs().compareTo(BigDecimal.valueOf(1L << 31)) < 0;
    switch (whole ? one.getKey() : "") {
      case "port":
        options.port(value.intValueExact());
        return;
      case "write_port":
        options.writePort(value.intValueExact());
        return;
      case "pool_size":
        options.poolSize(value.intValueExact());
        return;
      case "retries":
        options.retries(value.intValueExact());
        return;
      case "connect_timeout":
        options.connectTimeout(Duration.ofSeconds(value.longValue()));
        return;
      case "timeout":
        options.timeout(Duration.ofSeconds(value.longValue()));
        return;
      default:
        options.set(one.getKey(), value.toPlainString());
    }
  }

  private static Options options(JsonObject order) {
    Options.Builder options = Options.builder(order.has("url") ? text(order, "url") : "");
    if (order.has("options")) {
      order.getAsJsonObject("options").entrySet().forEach(one -> set(options, one));
    }
    if (order.has("hook")) {
      options.onRequest(
          (kind, table, elapsed, error) -> {
            throw new IllegalStateException("the hook fails");
          });
    }
    return options.build();
  }

  private Object carryOut(JsonObject order) {
    switch (order.get("do").getAsString()) {
      case "connect":
        close();
        client = Client.connect(options(order));
        return null;
      case "close":
        close();
        return null;
      case "table":
        return table(order);
      case "pipeline":
        return pipeline(order.getAsJsonArray("calls"));
      case "threads":
        return threads(order.get("count").getAsInt(), order.getAsJsonArray("calls"));
      case "ping":
        client.ping();
        return null;
      case "features":
        return client.features();
      case "last_gtid":
        return client.lastGtid();
      case "wait_for_gtid":
        double seconds = order.get("seconds").getAsDouble();
        return client.waitForGtid(text(order, "gtid"), Duration.ofMillis((long) (seconds * 1000)));
      case "describe":
        String name = text(order, "name");
        return name.isEmpty() ? client.describe() : client.describe(name);
      case "indexes":
        return client.indexes(text(order, "name"));
      case "raw":
        return raw(order);
      default:
        return inTransaction(order);
    }
  }

  private Object inTransaction(JsonObject order) {
    switch (order.get("do").getAsString()) {
      case "begin":
        boolean readOnly = order.has("read_only") && order.get("read_only").getAsBoolean();
        transaction = client.begin(isolation(text(order, "isolation")), readOnly);
        return null;
      case "savepoint":
        transaction.savepoint(text(order, "name"));
        return null;
      case "rollback_to":
        transaction.rollbackTo(text(order, "name"));
        return null;
      case "commit":
      case "rollback":
        Transaction ended = transaction;
        transaction = null;
        if (order.get("do").getAsString().equals("commit")) {
          ended.commit();
        } else {
          ended.rollback();
        }
        return null;
      default:
        return calls(order).run();
    }
  }

  private static Isolation isolation(String token) {
    for (Isolation one : Isolation.values()) {
      if (one.token().equals(token)) {
        return one;
      }
    }
    throw new IllegalArgumentException(token);
  }

  private TableCalls calls(JsonObject order) {
    Table table = tables.get(order.get("table").getAsInt() - 1);
    return new TableCalls(transaction == null ? table : table.in(transaction), order);
  }

  private Object table(JsonObject order) {
    Table table;
    table = client.table(text(order, "name"));
    if (order.has("columns")) {
      List<String> columns = new ArrayList<>();
      order.getAsJsonArray("columns").forEach(one -> columns.add(one.getAsString()));
      table = table.columns(columns.toArray(new String[0]));
    }
    if (order.has("index")) {
      table = table.index(text(order, "index"));
    }
    if (order.has("raw") && order.get("raw").getAsBoolean()) {
      table = table.raw();
    }
    tables.add(table);
    return tables.size();
  }

  private Object pipeline(JsonArray orders) {
    Pipeline pipeline = transaction == null ? client.pipeline() : transaction.pipeline();
    List<Result<?>> results = new ArrayList<>();
    for (JsonElement order : orders) {
      results.add(pipeline.add(calls(order.getAsJsonObject()).call()));
    }
    try {
      pipeline.run();
    } catch (HandlerSocketError e) {
      // The results have it, too.
    }
    List<Object> answers = new ArrayList<>();
    for (Result<?> result : results) {
      answers.add(result.error() == null ? Json.ok(result.get()) : Json.error(result.error()));
    }
    return answers;
  }

  private Object threads(int count, JsonArray orders) {
    List<List<Object>> answers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<Object> own = new ArrayList<>();
      answers.add(own);
      Thread thread =
          new Thread(() -> orders.forEach(order -> own.add(answer(order.getAsJsonObject()))));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return answers;
  }

  private Object raw(JsonObject order) {
    List<String> tokens = new ArrayList<>();
    for (JsonElement token : order.getAsJsonArray("tokens")) {
      Object value = Json.decode(token);
      tokens.add(value == null ? "\0" : value.toString());
    }
    Port port = Port.valueOf(text(order, "port").toUpperCase());
    RawReply reply = client.raw(port, tokens.toArray(new String[0]));
    List<Object> all = new ArrayList<>(List.of(reply.code(), reply.columns()));
    for (byte[] value : reply.values()) {
      all.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
    }
    return all;
  }

  private static String text(JsonObject order, String member) {
    JsonElement found = order.get(member);
    return found == null || found.isJsonNull() ? "" : found.getAsString();
  }

  private void close() {
    if (client != null) {
      client.close();
    }
    client = null;
    transaction = null;
    tables.clear();
  }
}
