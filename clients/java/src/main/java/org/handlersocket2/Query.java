package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;

/** What a call adds to its key: limits, filters, a list of values. It is for one thread. */
public final class Query {
  static final long UNSET = Long.MIN_VALUE;

  /** A comparison of a column. */
  static final class Condition {
    final String kind;
    final String column;
    final String op;
    final Object value;

    Condition(String kind, String column, String op, Object value) {
      this.kind = kind;
      this.column = column;
      this.op = op;
      this.value = value;
    }
  }

  String op = "=";
  long limit = UNSET;
  long offset;
  final List<Condition> conditions = new ArrayList<>();
  String inColumn;
  List<?> inValues;
  boolean inAll;

  /** Makes a query that adds nothing. */
  public Query() {}

  /** Bounds the rows; without it there is one, or for a count no bound. */
  public Query limit(long rows) {
    limit = rows;
    return this;
  }

  /** Skips rows first. */
  public Query offset(long rows) {
    offset = rows;
    return this;
  }

  /** Skips rows for which the comparison does not hold: = != &gt; &gt;= &lt; &lt;=. */
  public Query where(String column, String op, Object value) {
    conditions.add(new Condition("F", column, op, value));
    return this;
  }

  /** Ends the search at the first row for which the comparison does not hold. */
  public Query whileTrue(String column, String op, Object value) {
    conditions.add(new Condition("W", column, op, value));
    return this;
  }

  /** Finds one row for each of the values, which take the place of that column in the key. */
  public Query in(String column, List<?> values) {
    inColumn = column;
    inValues = values;
    return this;
  }

  /** Sets the operator of an update, a delete or an increment; without it, it is =. */
  public Query op(String operator) {
    op = operator;
    return this;
  }

  /** A copy with what one call sets by itself. */
  Query with(String operator, long usualLimit) {
    Query copy = new Query();
    copy.op = operator;
    copy.limit = limit == UNSET ? usualLimit : limit;
    copy.offset = offset;
    copy.conditions.addAll(conditions);
    copy.inColumn = inColumn;
    copy.inValues = inValues;
    copy.inAll = inAll;
    return copy;
  }
}
