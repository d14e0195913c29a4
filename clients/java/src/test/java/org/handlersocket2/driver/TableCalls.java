package org.handlersocket2.driver;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.handlersocket2.Call;
import org.handlersocket2.Calls;
import org.handlersocket2.Query;
import org.handlersocket2.Range;
import org.handlersocket2.Returning;
import org.handlersocket2.ReturningCalls;
import org.handlersocket2.Row;
import org.handlersocket2.Table;
import org.handlersocket2.When;

/** One call of a table, with the arguments that the acceptance script gives. */
final class TableCalls {
  private final Table table;
  private final String name;
  private final JsonObject args;

  TableCalls(Table table, JsonObject order) {
    this.table = table;
    this.name = order.get("do").getAsString();
    this.args = order.getAsJsonObject("args");
  }

  Object run() {
    if (args.has("returning")) {
      return returning();
    }
    switch (name) {
      case "get":
        return table.get(key());
      case "get_many":
        List<Object> keys = new ArrayList<>();
        args.getAsJsonArray("keys").forEach(one -> keys.add(Json.decodeList(one)));
        return table.getMany(keys);
      case "find":
        return table.find(op(), key(), query());
      case "find_all":
        return table.findAll(op(), key(), inColumn(), values("values"), query());
      case "range":
        List<Row> rows = new ArrayList<>();
        table.range(range()).forEach(rows::add);
        return rows;
      case "count":
        return table.count(op(), key(), query());
      case "exists":
        return table.exists(key());
      default:
        return change();
    }
  }

  private Object change() {
    switch (name) {
      case "insert":
        return table.insert(row("row"));
      case "insert_ignore":
        return table.insertIgnore(row("row"));
      case "upsert":
        return table.upsert(row("row"), update());
      case "replace":
        return table.replace(row("row"));
      case "update":
        return table.update(key(), row("values"), query());
      case "put_back":
        return table.update(key(), table.get(key()));
      case "delete":
        return table.delete(key(), query());
      case "increment":
        return table.increment(key(), row("amounts"), query());
      case "decrement":
        return table.decrement(key(), row("amounts"), query());
      case "compare_and_set":
        return table.compareAndSet(key(), row("expected"), row("values"));
      default:
        throw new IllegalArgumentException("there is no call " + name);
    }
  }

  private Object returning() {
    Returning giving = table.returning(when());
    switch (name) {
      case "insert":
        return giving.insert(row("row"));
      case "insert_ignore":
        return giving.insertIgnore(row("row"));
      case "upsert":
        return giving.upsert(row("row"), update());
      case "replace":
        return giving.replace(row("row"));
      case "update":
        return giving.update(key(), row("values"), query());
      case "delete":
        return giving.delete(key(), query());
      case "increment":
        return giving.increment(key(), row("amounts"), query());
      default:
        return giving.decrement(key(), row("amounts"), query());
    }
  }

  private Call<?> returning(ReturningCalls calls) {
    switch (name) {
      case "insert":
        return calls.insert(row("row"));
      case "insert_ignore":
        return calls.insertIgnore(row("row"));
      case "upsert":
        return calls.upsert(row("row"), update());
      case "replace":
        return calls.replace(row("row"));
      case "update":
        return calls.update(key(), row("values"), query());
      case "delete":
        return calls.delete(key(), query());
      case "increment":
        return calls.increment(key(), row("amounts"), query());
      default:
        return calls.decrement(key(), row("amounts"), query());
    }
  }

  private When when() {
    boolean before = args.get("returning").getAsString().equals("before");
    return before ? When.BEFORE : When.AFTER;
  }

  Call<?> call() {
    Calls calls = table.call();
    if (args.has("returning")) {
      return returning(calls.returning(when()));
    }
    switch (name) {
      case "get":
        return calls.get(key());
      case "find":
        return calls.find(op(), key(), query());
      case "find_all":
        return calls.findAll(op(), key(), inColumn(), values("values"), query());
      case "count":
        return calls.count(op(), key(), query());
      case "exists":
        return calls.exists(key());
      case "insert":
        return calls.insert(row("row"));
      case "insert_ignore":
        return calls.insertIgnore(row("row"));
      case "upsert":
        return calls.upsert(row("row"), update());
      case "replace":
        return calls.replace(row("row"));
      case "update":
        return calls.update(key(), row("values"), query());
      case "delete":
        return calls.delete(key(), query());
      case "increment":
        return calls.increment(key(), row("amounts"), query());
      case "decrement":
        return calls.decrement(key(), row("amounts"), query());
      default:
        return calls.compareAndSet(key(), row("expected"), row("values"));
    }
  }

  private Object key() {
    return values("key");
  }

  private String op() {
    return args.has("op") ? args.get("op").getAsString() : "=";
  }

  private String inColumn() {
    return args.get("in_column").getAsString();
  }

  private List<Object> values(String member) {
    return Json.decodeList(args.get(member));
  }

  private Row row(String member) {
    return Json.decodeRow(args.get(member));
  }

  private Row update() {
    JsonElement update = args.get("update");
    return update == null || update.isJsonNull() ? null : row("update");
  }

  private Query query() {
    Query query = new Query().op(op());
    if (args.has("limit")) {
      query.limit(args.get("limit").getAsLong());
    }
    if (args.has("offset")) {
      query.offset(args.get("offset").getAsLong());
    }
    filters(query::where, query::whileTrue);
    if (args.has("in")) {
      JsonObject in = args.getAsJsonObject("in");
      query.in(in.get("column").getAsString(), Json.decodeList(in.get("values")));
    }
    return query;
  }

  private Range range() {
    Range range = new Range();
    if (args.has("start")) {
      range.from(values("start"));
    }
    if (args.has("stop")) {
      range.to(values("stop").get(0));
    }
    if (args.has("reverse") && args.get("reverse").getAsBoolean()) {
      range.reverse();
    }
    if (args.has("page")) {
      range.page(args.get("page").getAsLong());
    }
    filters(range::where, range::whileTrue);
    return range;
  }

  private interface AddFilter {
    Object add(String column, String op, Object value);
  }

  private void filters(AddFilter where, AddFilter whileTrue) {
    if (args.has("filters")) {
      for (JsonElement element : args.getAsJsonArray("filters")) {
        JsonArray one = element.getAsJsonArray();
        AddFilter kind = one.size() == 4 ? whileTrue : where;
        kind.add(one.get(0).getAsString(), one.get(1).getAsString(), Json.decode(one.get(2)));
      }
    }
  }
}
