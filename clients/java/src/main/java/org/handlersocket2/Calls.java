package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.handlersocket2.Call.Plan;
import org.handlersocket2.protocol.Filter;
import org.handlersocket2.protocol.Find;
import org.handlersocket2.protocol.In;
import org.handlersocket2.protocol.Insert;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;

/** The calls of a table, made by {@link Pipeline#add}: each is as the method of {@link Table}. */
public final class Calls {
  private static final Query ONE = new Query().with("=", 1); // Nothing changes it.

  private final Table table;

  Calls(Table table) {
    this.table = table;
  }

  /** Is {@link Table#get(Object)}. */
  public Call<Row> get(Object key) {
    return find("get", ONE, key, Layout::firstRow);
  }

  Call<Row> getMany(Object key) {
    return find("get_many", ONE, key, Layout::firstRow);
  }

  /** Is {@link Table#find(String, Object, Query)}. */
  public Call<List<Row>> find(String op, Object key, Query query) {
    return find("find", query.with(op, 1), key, Layout::rows);
  }

  /** Is {@link Table#findAll}. */
  public Call<List<Row>> findAll(
      String op, Object key, String inColumn, List<?> values, Query query) {
    Query all = query.with(op, 1).in(inColumn, values);
    all.inAll = true;
    return find("find_all", all, key, Layout::rows);
  }

  private <T> Call<T> find(
      String kind, Query query, Object key, BiFunction<Layout, Reply, T> decode) {
    return call(
        () -> {
          Layout layout = table.layout();
          Request request = request(kind, query, key, "", layout.names, List.of());
          return new Plan<>(request, reply -> decode.apply(layout, reply));
        });
  }

  /** Is {@link Table#count(String, Object, Query)}. */
  public Call<Long> count(String op, Object key, Query query) {
    return count("count", query.with(op, 0), key);
  }

  /** Is {@link Table#exists}. */
  public Call<Boolean> exists(Object key) {
    return count("exists", new Query().with("=", 1), key).then(rows -> rows > 0);
  }

  Call<Long> count(String kind, Query query, Object key) {
    return call(
        () -> {
          Request request = request(kind, query, key, "C", List.of(), List.of());
          return new Plan<>(request, reply -> number(reply, 0));
        });
  }

  /** Is {@link Table#insert}. */
  public Call<Long> insert(Object row) {
    return insert("insert", "+", row, null, reply -> id(reply, 0));
  }

  /** Is {@link Table#insertIgnore}. */
  public Call<Inserted> insertIgnore(Object row) {
    return insert(
        "insert_ignore",
        "+I",
        row,
        null,
        reply -> new Inserted(number(reply, 0) > 0, id(reply, 1)));
  }

  /** Is {@link Table#upsert(Object, Object)}. */
  public Call<Upserted> upsert(Object row, Object update) {
    return insert(
        "upsert", "+U", row, update, reply -> new Upserted(number(reply, 0), id(reply, 1)));
  }

  /** Is {@link Table#replace}. */
  public Call<Replaced> replace(Object row) {
    return insert(
        "replace", "+R", row, null, reply -> new Replaced(number(reply, 0) - 1, id(reply, 1)));
  }

  private <T> Call<T> insert(
      String kind, String verb, Object row, Object update, Function<Reply, T> decode) {
    return call(
        () -> {
          InsertRow made = new InsertRow(row, update);
          return new Plan<>(insertRequest(kind, verb, made), decode);
        });
  }

  /** Is {@link Table#update(Object, Object, Query)}. */
  public Call<Long> update(Object key, Object values, Query query) {
    return change("update", "U", key, values, query);
  }

  /** Is {@link Table#delete(Object, Query)}. */
  public Call<Long> delete(Object key, Query query) {
    return change("delete", "D", key, new Row(), query);
  }

  /** Is {@link Table#increment(Object, Object, Query)}. */
  public Call<Long> increment(Object key, Object amounts, Query query) {
    return change("increment", "+", key, amounts, query);
  }

  /** Is {@link Table#decrement(Object, Object, Query)}. */
  public Call<Long> decrement(Object key, Object amounts, Query query) {
    return change("decrement", "-", key, amounts, query);
  }

  /** Is {@link Table#compareAndSet}. */
  public Call<Boolean> compareAndSet(Object key, Object expected, Object values) {
    return call(
        () -> {
          Query query = new Query();
          Row wanted = Records.row(expected);
          if (wanted.isEmpty()) {
            throw new ValueError("there is nothing to compare with");
          }
          wanted.forEach((column, value) -> query.where(column, "=", value));
          Request request = changeRequest("compare_and_set", "U", key, values, query);
          return new Plan<>(request, reply -> number(reply, 0) > 0);
        });
  }

  private Call<Long> change(String kind, String verb, Object key, Object values, Query query) {
    return call(
        () -> {
          Request request = changeRequest(kind, verb, key, values, query);
          return new Plan<>(request, reply -> number(reply, 0));
        });
  }

  Request changeRequest(String kind, String verb, Object key, Object values, Query query) {
    Row row = Records.row(values);
    if (row.isEmpty() && !verb.startsWith("D")) {
      throw new ValueError("there is no column to change");
    }
    List<Object> sent = new ArrayList<>(row.values());
    return request(kind, query.with(query.op, 1), key, verb, List.copyOf(row.keySet()), sent);
  }

  <T> Call<T> call(java.util.function.Supplier<Plan<T>> plan) {
    return new Call<>(table.on, plan);
  }

  /** Makes the request of a find, a count or a change. */
  Request request(
      String kind, Query query, Object key, String verb, List<String> columns, List<?> values) {
    Find find = new Find(query.op, Table.key(key), verb);
    find.limit = query.limit;
    find.offset = query.offset;
    find.values = values;
    List<String> filterColumns = new ArrayList<>();
    for (Query.Condition one : query.conditions) {
      if (!filterColumns.contains(one.column)) {
        filterColumns.add(one.column);
      }
      find.filters.add(new Filter(one.kind, one.op, filterColumns.indexOf(one.column), one.value));
    }
    if (query.inColumn != null) {
      find.in = new In(table.part(query.inColumn), query.inValues, query.inAll);
    }
    Line body = new Line();
    find.append(body);
    Spec spec =
        filterColumns.isEmpty() ? table.spec(columns) : new Spec(table, columns, filterColumns);
    Request request = new Request(kind, table.name, spec, body);
    request.change = !verb.isEmpty() && !verb.equals("C");
    if (givesRows(verb)) {
      boolean isBounded = verb.isEmpty() && query.inColumn == null;
      long most = isBounded ? Math.max(1, query.limit) : Long.MAX_VALUE;
      request.expect(Expect.rows(columns.size(), most));
    } else {
      request.expect(Expect.COUNT);
    }
    return request.needs(query.inAll ? "all" : query.op.equals("=<") ? "descending" : needs(verb));
  }

  Request insertRequest(String kind, String verb, InsertRow row) {
    Line body = new Line();
    Insert.append(body, verb, row.values, row.update);
    Spec spec = new Spec(table, row.columns, List.of());
    Request request = new Request(kind, table.name, spec, body);
    request.change = true;
    if (givesRows(verb)) {
      request.expect(Expect.rows(row.columns.size(), Long.MAX_VALUE));
    } else {
      request.expect(verb.equals("+") ? Expect.ID : Expect.added(verb));
    }
    return request.needs(needs(verb));
  }

  private static boolean givesRows(String verb) {
    return verb.isEmpty() || verb.endsWith("?") || verb.endsWith("!");
  }

  private static String needs(String verb) {
    if (verb.equals("C")) {
      return "count";
    } else if (verb.length() > 1 && "IUR".indexOf(verb.charAt(1)) >= 0) {
      return "upsert";
    }
    return verb.endsWith("!") ? "returning" : "";
  }

  private static long number(Reply reply, int place) {
    return Long.parseUnsignedLong(reply.string(place));
  }

  /** The generated id, as unsigned 64 bits, or null. */
  private static Long id(Reply reply, int place) {
    long id = place < reply.values().size() ? number(reply, place) : 0;
    return id == 0 ? null : id;
  }

  /** The columns and values of an insert. Those of an update come first. */
  static final class InsertRow {
    final List<String> columns;
    final List<Object> values = new ArrayList<>();
    final List<Object> update;

    InsertRow(Object row, Object update) {
      Row given = Records.row(row);
      if (given.isEmpty()) {
        throw new ValueError("a row has a column at least");
      }
      Row updated = update == null ? new Row() : Records.row(update);
      this.update = update == null ? null : new ArrayList<>(updated.values());
      columns = new ArrayList<>(updated.keySet());
      for (String column : columns) {
        if (!given.containsKey(column)) {
          throw new ValueError("column " + column + " is updated and not in the row");
        }
      }
      given.keySet().stream().filter(name -> !columns.contains(name)).forEach(columns::add);
      columns.forEach(column -> values.add(given.get(column)));
    }
  }
}
