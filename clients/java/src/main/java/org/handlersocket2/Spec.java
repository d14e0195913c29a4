package org.handlersocket2;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Open;

/** What P says behind the id of an index. It is safe for threads: its line stays as it is. */
final class Spec {
  final List<String> columns;
  final Line line;
  final Expect oneRow; // What a find of one row is answered.
  final String key; // By which a connection knows whether it is open.

  Spec(Table table, List<String> columns, List<String> filterColumns) {
    this.columns = columns;
    line = Open.spec(table.name.database, table.name.table, table.index, columns, filterColumns);
    oneRow = Expect.rows(columns.size(), 1);
    key = new String(line.toBytes(), StandardCharsets.ISO_8859_1);
  }
}
