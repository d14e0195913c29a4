package org.handlersocket2;

import java.util.List;

/**
 * A table whose changes give rows. Inserts give the columns of the row and those of the table
 * object, deletes the latter, and other changes those that they set.
 */
public final class Returning {
  private final Table table;
  private final When when;

  Returning(Table table, When when) {
    this.table = table;
    this.when = when;
  }

  /** Is {@link Table#insert} with the row afterwards. */
  public List<Row> insert(Object row) {
    return insert("insert", "+", row, null);
  }

  /** Is {@link Table#insertIgnore} with rows. */
  public List<Row> insertIgnore(Object row) {
    return insert("insert_ignore", "+I", row, null);
  }

  /** Is {@link Table#upsert(Object, Object)} with rows; without an update it is null. */
  public List<Row> upsert(Object row, Object update) {
    return insert("upsert", "+U", row, update);
  }

  /** Is {@link Table#replace} with rows. */
  public List<Row> replace(Object row) {
    return insert("replace", "+R", row, null);
  }

  /** Is {@link Table#update(Object, Object, Query)} with rows. */
  public List<Row> update(Object key, Object values, Query query) {
    return change("update", "U", key, values, query);
  }

  /** Is {@link Table#delete(Object, Query)} with the rows before. */
  public List<Row> delete(Object key, Query query) {
    Calls calls = table.call();
    Call<List<Row>> call =
        calls.call(
            lines -> {
              Layout layout = table.layout();
              Query one = query.with(query.op, 1);
              String verb = "D" + when.mark;
              return calls.request(
                  lines, "delete", one, key, verb, layout.names, List.of(), layout::rows);
            });
    return call.run();
  }

  /** Is {@link Table#increment(Object, Object, Query)} with rows. */
  public List<Row> increment(Object key, Object amounts, Query query) {
    return change("increment", "+", key, amounts, query);
  }

  /** Is {@link Table#decrement(Object, Object, Query)} with rows. */
  public List<Row> decrement(Object key, Object amounts, Query query) {
    return change("decrement", "-", key, amounts, query);
  }

  private List<Row> insert(String kind, String verb, Object row, Object update) {
    Calls calls = table.call();
    Call<List<Row>> call =
        calls.call(
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
    return call.run();
  }

  private List<Row> change(String kind, String verb, Object key, Object values, Query query) {
    Calls calls = table.call();
    Call<List<Row>> call =
        calls.call(
            lines -> {
              Row row = Calls.changes(values);
              Layout layout = table.layout(List.copyOf(row.keySet()));
              return calls.changeRequest(
                  lines, kind, verb + when.mark, key, row, query, layout::rows);
            });
    return call.run();
  }
}
