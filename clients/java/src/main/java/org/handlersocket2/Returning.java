package org.handlersocket2;

import java.util.List;

/**
 * A table whose changes give rows. Inserts give the columns of the row and those of the table
 * object, deletes the latter, and other changes those that they set.
 */
public final class Returning {
  private final ReturningCalls calls;

  Returning(Table table, When when) {
    calls = table.call().returning(when);
  }

  /** Is {@link Table#insert} with the row afterwards. */
  public List<Row> insert(Object row) {
    return calls.insert(row).run();
  }

  /** Is {@link Table#insertIgnore} with rows. */
  public List<Row> insertIgnore(Object row) {
    return calls.insertIgnore(row).run();
  }

  /** Is {@link Table#upsert(Object, Object)} with rows; without an update it is null. */
  public List<Row> upsert(Object row, Object update) {
    return calls.upsert(row, update).run();
  }

  /** Is {@link Table#replace} with rows. */
  public List<Row> replace(Object row) {
    return calls.replace(row).run();
  }

  /** Is {@link Table#update(Object, Object, Query)} with rows. */
  public List<Row> update(Object key, Object values, Query query) {
    return calls.update(key, values, query).run();
  }

  /** Is {@link Table#delete(Object, Query)} with the rows before. */
  public List<Row> delete(Object key, Query query) {
    return calls.delete(key, query).run();
  }

  /** Is {@link Table#increment(Object, Object, Query)} with rows. */
  public List<Row> increment(Object key, Object amounts, Query query) {
    return calls.increment(key, amounts, query).run();
  }

  /** Is {@link Table#decrement(Object, Object, Query)} with rows. */
  public List<Row> decrement(Object key, Object amounts, Query query) {
    return calls.decrement(key, amounts, query).run();
  }
}
