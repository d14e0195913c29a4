package org.handlersocket2;

import java.util.List;

/**
 * The calls of a table whose changes give rows, made by {@link Pipeline#add}: each is as the method
 * of {@link Returning}.
 */
public final class ReturningCalls {
  private final Table table;
  private final When when;

  ReturningCalls(Table table, When when) {
    this.table = table;
    this.when = when;
  }

  /** Is {@link Returning#insert}. */
  public Call<List<Row>> insert(Object row) {
    return insert("insert", "+", row, null);
  }

  /** Is {@link Returning#insertIgnore}. */
  public Call<List<Row>> insertIgnore(Object row) {
    return insert("insert_ignore", "+I", row, null);
  }

  /** Is {@link Returning#upsert}. */
  public Call<List<Row>> upsert(Object row, Object update) {
    return insert("upsert", "+U", row, update);
  }

  /** Is {@link Returning#replace}. */
  public Call<List<Row>> replace(Object row) {
    return insert("replace", "+R", row, null);
  }

  /** Is {@link Returning#update}. */
  public Call<List<Row>> update(Object key, Object values, Query query) {
    return change("update", "U", key, values, query);
  }

  /** Is {@link Returning#delete}. */
  public Call<List<Row>> delete(Object key, Query query) {
    Calls calls = table.call();
    return calls.call(
        lines -> {
          Layout layout = table.layout();
          Query one = query.with(query.op, 1);
          String verb = "D" + when.mark;
          return calls.request(
              lines, "delete", one, key, verb, layout.names, List.of(), layout::rows);
        });
  }

  /** Is {@link Returning#increment}. */
  public Call<List<Row>> increment(Object key, Object amounts, Query query) {
    return change("increment", "+", key, amounts, query);
  }

  /** Is {@link Returning#decrement}. */
  public Call<List<Row>> decrement(Object key, Object amounts, Query query) {
    return change("decrement", "-", key, amounts, query);
  }

  private Call<List<Row>> insert(String kind, String verb, Object row, Object update) {
    Calls calls = table.call();
    return calls.call(
        lines -> {
          Calls.InsertRow made = new Calls.InsertRow(row, update);
          for (String column : table.layout().names) {
            if (!made.columns.contains(column)) {
              made.columns.add(column);
            }
          }
          Layout layout = table.layout(made.columns);
          return calls.insertRequest(lines, kind, verb + when.mark, made, layout::rows);
        });
  }

  private Call<List<Row>> change(String kind, String verb, Object key, Object values, Query query) {
    Calls calls = table.call();
    return calls.call(
        lines -> {
          Row row = Calls.changes(values);
          Layout layout = table.layout(List.copyOf(row.keySet()));
          return calls.changeRequest(lines, kind, verb + when.mark, key, row, query, layout::rows);
        });
  }
}
