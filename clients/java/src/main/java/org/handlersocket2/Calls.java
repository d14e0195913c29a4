package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
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

  /** Gives the same calls with changes that give rows. */
  public ReturningCalls returning(When when) {
    return new ReturningCalls(table, when);
  }

  /** Is {@link Table#get(Object)}. */
  public Call<Row> get(Object key) {
    return call(lines -> getRequest(lines, "get", key));
  }

  Call<Row> getMany(Object key) {
    return call(lines -> getRequest(lines, "get_many", key));
  }

  private Request<Row> getRequest(Line lines, String kind, Object key) {
    Layout layout = table.layout();
    int from = lines.length();
    Find.appendGet(lines, Table.key(key));
    Spec spec = table.spec(layout.names);
    return new Request<>(kind, table.name, spec, lines, from, layout.firstRow).expect(spec.oneRow);
  }

  /** Is {@link Table#find(String, Object, Query)}. */
  public Call<List<Row>> find(String op, Object key, Query query) {
    return find("find", query.with(op, 1), key, layout -> layout::rows);
  }

  /** Is {@link Table#findAll}. */
  public Call<List<Row>> findAll(
      String op, Object key, String inColumn, List<?> values, Query query) {
    Query all = query.with(op, 1).in(inColumn, values);
    all.inAll = true;
    return find("find_all", all, key, layout -> layout::rows);
  }

  private <T> Call<T> find(
      String kind, Query query, Object key, Function<Layout, Function<Reply, T>> read) {
    return call(
        lines -> {
          Layout layout = table.layout();
          return request(lines, kind, query, key, "", layout.names, List.of(), read.apply(layout));
        });
  }

  /** Is {@link Table#count(String, Object, Query)}. */
  public Call<Long> count(String op, Object key, Query query) {
    return count("count", query.with(op, 0), key, Calls::number);
  }

  /** Is {@link Table#exists}. */
  public Call<Boolean> exists(Object key) {
    return count("exists", ONE, key, reply -> number(reply) > 0);
  }

  <T> Call<T> count(String kind, Query query, Object key, Function<Reply, T> read) {
    return call(lines -> request(lines, kind, query, key, "C", List.of(), List.of(), read));
  }

  /** Is {@link Table#insert}. */
  public Call<Long> insert(Object row) {
    return insert("insert", "+", row, null, reply -> id(reply, 0));
  }

  /** Is {@link Table#insertIgnore}. */
  public Call<Inserted> insertIgnore(Object row) {
    return insert(
        "insert_ignore", "+I", row, null, reply -> new Inserted(number(reply) > 0, id(reply, 1)));
  }

  /** Is {@link Table#upsert(Object, Object)}. */
  public Call<Upserted> upsert(Object row, Object update) {
    return insert("upsert", "+U", row, update, reply -> new Upserted(number(reply), id(reply, 1)));
  }

  /** Is {@link Table#replace}. */
  public Call<Replaced> replace(Object row) {
    return insert(
        "replace", "+R", row, null, reply -> new Replaced(number(reply) - 1, id(reply, 1)));
  }

  private <T> Call<T> insert(
      String kind, String verb, Object row, Object update, Function<Reply, T> read) {
    return call(lines -> insertRequest(lines, kind, verb, new InsertRow(row, update), read));
  }

  /** Is {@link Table#update(Object, Object, Query)}. */
  public Call<Long> update(Object key, Object values, Query query) {
    return change("update", "U", key, values, query);
  }

  /** Is {@link Table#delete(Object, Query)}. */
  public Call<Long> delete(Object key, Query query) {
    return call(
        lines -> {
          Query one = query.with(query.op, 1);
          return request(lines, "delete", one, key, "D", List.of(), List.of(), Calls::number);
        });
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
        lines -> {
          Query query = new Query();
          Row wanted = Records.row(expected);
          if (wanted.isEmpty()) {
            throw new ValueError("there is nothing to compare with");
          }
          wanted.forEach((column, value) -> query.where(column, "=", value));
          Row row = changes(values);
          return changeRequest(
              lines, "compare_and_set", "U", key, row, query, reply -> number(reply) > 0);
        });
  }

  private Call<Long> change(String kind, String verb, Object key, Object values, Query query) {
    return call(
        lines -> changeRequest(lines, kind, verb, key, changes(values), query, Calls::number));
  }

  /** The values that a change gives to columns. */
  static Row changes(Object values) {
    Row row = Records.row(values);
    if (row.isEmpty()) {
      throw new ValueError("there is no column to change");
    }
    return row;
  }

  <T> Request<T> changeRequest(
      Line lines,
      String kind,
      String verb,
      Object key,
      Row row,
      Query query,
      Function<Reply, T> read) {
    List<String> columns = List.copyOf(row.keySet());
    List<Object> values = new ArrayList<>(row.values());
    return request(lines, kind, query.with(query.op, 1), key, verb, columns, values, read);
  }

  <T> Call<T> call(Call.Plan<T> plan) {
    return new Call<>(table.on, plan);
  }

  /** Makes the request of a find, a count or a change. */
  <T> Request<T> request(
      Line lines,
      String kind,
      Query query,
      Object key,
      String verb,
      List<String> columns,
      List<?> values,
      Function<Reply, T> read) {
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
    int from = lines.length();
    find.append(lines);
    Spec spec =
        filterColumns.isEmpty() ? table.spec(columns) : new Spec(table, columns, filterColumns);
    Request<T> request = new Request<>(kind, table.name, spec, lines, from, read);
    request.change = !verb.isEmpty() && !verb.equals("C");
    if (givesRows(verb)) {
      boolean isBounded = verb.isEmpty() && query.inColumn == null;
      long most = isBounded ? Math.max(1, query.limit) : Long.MAX_VALUE;
      request.expect(most == 1 ? spec.oneRow : Expect.rows(columns.size(), most));
    } else {
      request.expect(Expect.COUNT);
    }
    return request.needs(query.inAll ? "all" : query.op.equals("=<") ? "descending" : needs(verb));
  }

  <T> Request<T> insertRequest(
      Line lines, String kind, String verb, InsertRow row, Function<Reply, T> read) {
    int from = lines.length();
    Insert.append(lines, verb, row.values, row.update);
    Spec spec = new Spec(table, row.columns, List.of());
    Request<T> request = new Request<>(kind, table.name, spec, lines, from, read);
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

  static long number(Reply reply) {
    return number(reply, 0);
  }

  private static long number(Reply reply, int place) {
    return Long.parseUnsignedLong(reply.string(place));
  }

  /** The generated id, as unsigned 64 bits, or null. */
  private static Long id(Reply reply, int place) {
    long id = place < reply.count() ? number(reply, place) : 0;
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
