package org.handlersocket2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.handlersocket2.protocol.Open;

/**
 * A table, some of its columns and one of its indexes. It is cheap, safe for threads, and does not
 * change. A key is one value, or a List of the values for an index of several columns, or for its
 * first ones. A row is a Map, a record, or an object with fields by the names of the columns.
 */
public final class Table {
  final Executor on;
  final FullName name;
  final String index;
  final List<String> columns; // Null: all.
  final boolean raw;
  private volatile Spec spec; // The last one, as most calls are for the same columns.

  Table(Client client, String full) {
    this.on = client;
    this.name = client.splitName(full);
    this.index = "PRIMARY";
    this.columns = null;
    this.raw = false;
    Open.spec(name.database, name.table, index, List.of(), List.of());
  }

  private Table(Table other, Executor on, String index, List<String> columns, boolean raw) {
    this.on = on;
    this.name = other.name;
    this.index = index;
    this.columns = columns;
    this.raw = raw;
  }

  /** Returns the table with the columns that reads give; without this, they give all. */
  public Table columns(String... names) {
    if (names.length == 0) {
      throw new ValueError("a table needs a column");
    }
    Open.spec(name.database, name.table, index, List.of(names), List.of());
    return new Table(this, on, index, List.of(names), raw);
  }

  /** Returns the table with the index that keys are of; without this, it is PRIMARY. */
  public Table index(String other) {
    Open.spec(name.database, name.table, other, List.of(), List.of());
    return new Table(this, on, other, columns, raw);
  }

  /** Returns the table with rows of bytes as they came. */
  public Table raw() {
    return new Table(this, on, index, columns, true);
  }

  /** Returns the table inside of a transaction. */
  public Table in(Transaction transaction) {
    return new Table(this, transaction, index, columns, raw);
  }

  /** Returns the calls of this table for a {@link Pipeline}. */
  public Calls call() {
    return new Calls(this);
  }

  /** Returns the table with changes that give rows. */
  public Returning returning(When when) {
    return new Returning(this, when);
  }

  /** Returns the row with this key, or null. */
  public Row get(Object key) {
    return call().get(key).run();
  }

  /** Returns the row with this key as an object, or null; see {@link Row#as}. */
  public <T> T get(Object key, Class<T> type) {
    Row row = get(key);
    return row == null ? null : row.as(type);
  }

  /** Returns a row, or null, for each key, in the order of the keys. */
  public List<Row> getMany(List<?> keys) {
    Pipeline pipeline = new Pipeline(on);
    List<Result<Row>> results = new ArrayList<>();
    for (Object key : keys) {
      results.add(pipeline.add(call().getMany(key)));
    }
    pipeline.run();
    List<Row> rows = new ArrayList<>();
    results.forEach(result -> rows.add(result.get()));
    return rows;
  }

  /** Returns the first row whose index compares with the key, in a list. */
  public List<Row> find(String op, Object key) {
    return find(op, key, new Query());
  }

  /** Returns the rows whose index compares with the key: = =&lt; &gt; &gt;= &lt; &lt;=. */
  public List<Row> find(String op, Object key, Query query) {
    return call().find(op, key, query).run();
  }

  /**
   * Returns the rows of each of the values, which take the place of a column in the key. Limit,
   * offset and whileTrue are for each value; the limit is one row, if none is given.
   */
  public List<Row> findAll(String op, Object key, String inColumn, List<?> values, Query query) {
    return call().findAll(op, key, inColumn, values, query).run();
  }

  /** Returns the rows from one key to another, of which one page at a time is read. */
  public Iterable<Row> range(Range range) {
    return () -> new RangeIterator(this, range);
  }

  /** Returns how many rows compare with the key. */
  public long count(String op, Object key) {
    return count(op, key, new Query());
  }

  /** Returns how many rows compare with the key. Without a limit it counts all. */
  public long count(String op, Object key, Query query) {
    return call().count(op, key, query).run();
  }

  /** Tells whether there is a row with this key. */
  public boolean exists(Object key) {
    return call().exists(key).run();
  }

  /** Adds a row, and returns the generated id, or null. */
  public Long insert(Object row) {
    return call().insert(row).run();
  }

  /** Adds a row, if none with the same value in a unique index is there already. */
  public Inserted insertIgnore(Object row) {
    return call().insertIgnore(row).run();
  }

  /** Adds a row, or updates the one that is there to the values of the row. */
  public Upserted upsert(Object row) {
    return upsert(row, null);
  }

  /** Adds a row, or updates the one that is there to the values of update. */
  public Upserted upsert(Object row, Object update) {
    return call().upsert(row, update).run();
  }

  /** Adds a row in the place of all with the same value in a unique index. */
  public Replaced replace(Object row) {
    return call().replace(row).run();
  }

  /** Sets columns of the row with this key, and returns how many rows there were. */
  public long update(Object key, Object values) {
    return update(key, values, new Query());
  }

  /** Sets columns of rows, and returns how many there were. The limit is one, if none is given. */
  public long update(Object key, Object values, Query query) {
    return call().update(key, values, query).run();
  }

  /** Deletes the row with this key, and returns how many there were. */
  public long delete(Object key) {
    return delete(key, new Query());
  }

  /** Deletes rows, and returns how many there were. The limit is one, if none is given. */
  public long delete(Object key, Query query) {
    return call().delete(key, query).run();
  }

  /** Adds integers to columns of the row with this key, and returns how many rows there were. */
  public long increment(Object key, Object amounts) {
    return increment(key, amounts, new Query());
  }

  /** Adds integers to columns of rows, and returns how many rows there were. */
  public long increment(Object key, Object amounts, Query query) {
    return call().increment(key, amounts, query).run();
  }

  /** Is {@link #decrement(Object, Object, Query)} for one row. */
  public long decrement(Object key, Object amounts) {
    return decrement(key, amounts, new Query());
  }

  /**
   * Subtracts integers from columns, and returns how many rows were changed. One that would cross
   * zero is left alone and not counted.
   */
  public long decrement(Object key, Object amounts, Query query) {
    return call().decrement(key, amounts, query).run();
  }

  /** Sets columns of the row with this key if it is as expected, and tells whether it was. */
  public boolean compareAndSet(Object key, Object expected, Object values) {
    return call().compareAndSet(key, expected, values).run();
  }

  /** The values of a key. */
  static List<?> key(Object key) {
    if (key instanceof Number || key instanceof String) { // Of classes it is known at once.
      return Collections.singletonList(key);
    }
    if (key instanceof List) {
      return (List<?>) key;
    }
    return key instanceof Object[] ? Arrays.asList((Object[]) key) : Collections.singletonList(key);
  }

  /** The columns that reads give. */
  Layout layout() {
    if (raw && columns != null) {
      return new Layout(columns, null);
    }
    Layout known;
    try {
      known = known(columns == null ? List.of() : columns);
    } catch (UnsupportedError e) { // A server that does not tell gives text.
      if (columns == null) {
        throw e;
      }
      return Layout.ofText(columns);
    }
    return raw ? new Layout(known.names, null) : columns == null ? known : known.select(columns);
  }

  /** As what some columns are read. */
  Layout layout(List<String> names) {
    if (raw) {
      return new Layout(names, null);
    }
    try {
      return known(names).select(names);
    } catch (UnsupportedError e) {
      return Layout.ofText(names);
    }
  }

  /** What opens the index for these columns, without filters. */
  Spec spec(List<String> columns) {
    Spec last = spec;
    if (last == null || last.columns != columns) {
      last = new Spec(this, columns, List.of());
      spec = last;
    }
    return last;
  }

  /**
   * The columns of the table, asked for once, and again when a wanted one is not known: it may have
   * been added.
   */
  Layout known(List<String> wanted) {
    Layout layout = on.client().layouts.get(name);
    if (layout == null || !layout.has(wanted)) {
      layout = Layout.ofDescription(Layout.describe(on, name, false).run());
      on.client().layouts.put(name, layout);
    }
    return layout;
  }

  /** The columns of the table's index, as D tells them. */
  List<Row> indexColumns() {
    List<Row> own = ownIndex(Layout.describe(on, name, true).run());
    if (own.isEmpty()) {
      throw ServerError.of(2, "idxnum");
    }
    return own;
  }

  private List<Row> ownIndex(List<Row> all) {
    String wanted = index.isEmpty() ? "PRIMARY" : index;
    List<Row> own = new ArrayList<>(all);
    own.removeIf(row -> !wanted.equals(row.getString("index")));
    return own;
  }

  /**
   * Carries out a call that is right for these columns of the index alone. In the same piece it
   * asks whether the index still has them: one that was made anew under the same name has another
   * order.
   */
  <T> T runAlong(List<Row> parts, Call<T> call) {
    Pipeline pipeline = new Pipeline(on);
    Result<T> answer = pipeline.add(call);
    Result<List<Row>> told = pipeline.add(Layout.describe(on, name, true));
    pipeline.run();
    if (told.error() == null && !ownIndex(told.get()).equals(parts)) {
      on.client().layouts.remove(name);
      throw ServerError.of(2, "idxnum");
    }
    T result = answer.get();
    told.get();
    return result;
  }

  long part(String column) {
    List<Row> parts = indexColumns();
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).getString("column").equals(column)) {
        return i;
      }
    }
    throw new ValueError("the index has no column " + column);
  }
}
