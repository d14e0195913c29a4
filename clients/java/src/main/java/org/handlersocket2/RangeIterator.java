package org.handlersocket2;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.handlersocket2.protocol.Reply;

/** Goes along an index, one page at a time. */
final class RangeIterator implements Iterator<Row> {
  private final Table table;
  private final long page;
  private final RangeIndex index;
  private final Layout layout;
  private final Query query;
  private final String sign;

  private List<Object> key;
  private long skip;
  private Iterator<Row> rows = List.<Row>of().iterator();
  private boolean done;

  RangeIterator(Table table, Range range) {
    if (range.page < 1) {
      throw new ValueError("a page has one row at least");
    }
    if (range.reverse && !range.hasStart) {
      throw new ValueError("a range that goes downwards needs its beginning");
    }
    this.table = table;
    page = range.page;
    layout = table.layout();
    index = new RangeIndex(table, layout.names);
    sign = range.reverse ? "<" : ">";
    query = range.filters.with(sign + "=", page);
    query.limit(page);
    if (range.hasStop) {
      index.end(query, range.reverse, range.stop);
    }
    key = range.hasStart ? new ArrayList<>(Table.key(range.start)) : index.lowest();
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext() && !done) {
      readPage();
    }
    return rows.hasNext();
  }

  @Override
  public Row next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return rows.next();
  }

  private void readPage() {
    query.offset(skip);
    Calls calls = table.call();
    List<Row> found = new ArrayList<>();
    Call<Reply> call =
        calls.call(
            lines ->
                calls.request(
                    lines,
                    "range",
                    query,
                    key,
                    "",
                    index.columns(),
                    List.of(),
                    reply -> {
                      found.addAll(layout.rows(reply));
                      return reply;
                    }));
    Reply reply = index.run(call);
    done = found.size() < page;
    rows = (done ? found : found.subList(0, advance(reply))).iterator();
  }

  /**
   * Where the next page begins; how many rows of this one are given.
   *
   * <p>The next page begins behind a key that has one row at most, and else with the rows of a key.
   * A page ends in front of a key whose rows may not all be in it: the next page reads them again,
   * so that rows which come or go meanwhile shift no others. Only of a key with more rows than a
   * page has, the rows that were given are skipped by their number.
   */
  private int advance(Reply reply) {
    List<RangeIndex.Run> runs = index.runs(reply);
    RangeIndex.Run last = runs.get(0);
    if (!index.canBegin(last.key)) {
      skip += reply.rows(); // The next page begins where this one did.
      return reply.rows();
    }
    boolean unique = index.isUnique(last.key);
    query.op(unique ? sign : sign + "=");
    int same = unique ? 0 : last.rows;
    for (RangeIndex.Run earlier : runs.subList(1, runs.size())) {
      if (!index.isSame(last.key, earlier.key)) {
        break;
      }
      same += earlier.rows;
    }
    if (same < reply.rows()) {
      skip = 0;
    } else {
      skip = same + (skip > 0 && index.isSame(last.key, key) ? skip : 0);
      same = 0;
    }
    key = last.key;
    return reply.rows() - same;
  }
}
