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
    query = range.filters.with(range.reverse ? "<=" : ">=", page);
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
    Reply reply = call.run();
    done = found.size() < page;
    if (!done) {
      advance(reply);
    }
    rows = found.iterator();
  }

  /** The next page begins with the key of the last row, behind the rows with that key. */
  private void advance(Reply reply) {
    List<RangeIndex.Run> runs = index.runs(reply);
    RangeIndex.Run last = runs.get(0);
    if (!index.canBegin(last.key)) {
      skip += reply.rows(); // The next page begins where this one did.
      return;
    }
    if (skip > 0 && !index.isUnique(last.key)) {
      runs.add(new RangeIndex.Run(key, skip));
    }
    key = last.key;
    skip = last.rows;
    for (RangeIndex.Run earlier : runs.subList(1, runs.size())) {
      if (!index.isSame(last.key, earlier.key)) {
        return;
      }
      skip += earlier.rows;
    }
  }
}
