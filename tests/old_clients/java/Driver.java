// Drives the unchanged client `hs4j`: Driver HOST PORT PORT_WR TABLE.

import com.google.code.hs4j.FindOperator;
import com.google.code.hs4j.HSClient;
import com.google.code.hs4j.IndexSession;
import com.google.code.hs4j.ModifyStatement;
import com.google.code.hs4j.exception.HandlerSocketException;
import com.google.code.hs4j.impl.HSClientImpl;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class Driver {
  private static final String[] COLUMNS = {"id", "name", "note", "n"};
  private static final String[] ONE = {"1", "alice", null, "10"};
  private static final String[] TWO = {"2", "bob", "", "20"};
  private static final String[] THREE = {
    "3", "h\u00e9\u65e5\u672c\ud83d\ude00", "\u00fcn\u00ef", "30"
  };
  private static final String[] FOUR = {"4", "bytes", "a\tb\nc\0d\u0001e", "40"};
  private static final String[] FIVE = {"5", "bob", "second bob", "50"};

  // The client knows NULL when it writes; when it reads, it hands over the one byte of the wire.
  private static final String NULL_AS_READ = "\0";

  private interface Call {
    Object run() throws Exception;
  }

  private static final class Difference extends Exception {
    Difference(String text) {
      super(text);
    }
  }

  private static String show(String[]... rows) {
    return Arrays.deepToString(rows);
  }

  private static String show(int columns, ResultSet result) throws Exception {
    List<String[]> rows = new ArrayList<>();
    while (result.next()) {
      String[] row = new String[columns];
      for (int i = 0; i < columns; ++i) {
        row[i] = result.getString(i + 1);
        if (NULL_AS_READ.equals(row[i])) {
          row[i] = null;
        }
      }
      rows.add(row);
    }
    return show(rows.toArray(new String[0][]));
  }

  private static void expect(String what, Object got, Object wanted) throws Difference {
    if (!got.equals(wanted)) {
      throw new Difference(what + ": got " + got + " instead of " + wanted);
    }
  }

  private static void expectError(String what, String text, Call call) throws Exception {
    String got;
    try {
      got = String.valueOf(call.run());
    } catch (HandlerSocketException error) {
      got = error.getMessage();
    }
    expect(what, got, "Error message from server:" + text);
  }

  private static String[] key(String value) {
    return new String[] {value};
  }

  private static void drive(HSClient reader, HSClient writer, String table) throws Exception {
    IndexSession read = reader.openIndexSession(1, "test", table, "PRIMARY", COLUMNS);
    IndexSession byName =
        reader.openIndexSession(2, "test", table, "name_idx", new String[] {"id", "name"});
    IndexSession write = writer.openIndexSession(1, "test", table, "PRIMARY", COLUMNS);

    expect("insert", write.insert(ONE), true);
    expect("insert", write.insert(TWO), true);
    expect("insert", write.insert(THREE), true);
    ModifyStatement statement = write.createStatement();
    statement.setInt(1, 4);
    statement.setString(2, FOUR[1]);
    statement.setBytes(3, FOUR[2].getBytes(StandardCharsets.UTF_8));
    statement.setLong(4, 40);
    expect("insert by statement", statement.insert(), true);
    expect("insert", write.insert(FIVE), true);
    expectError("duplicate key", "121", () -> write.insert(ONE));

    for (String[] row : new String[][] {ONE, TWO, THREE, FOUR, FIVE}) {
      expect("exact", show(4, read.find(key(row[0]))), show(row));
      expect("exact on the write port", show(4, write.find(key(row[0]))), show(row));
    }
    expect("not found", show(4, read.find(key("99"))), show());
    expect("range", show(4, read.find(key("2"), FindOperator.GE, 10, 0)),
        show(TWO, THREE, FOUR, FIVE));
    expect("limit and offset", show(4, read.find(key("2"), FindOperator.GT, 2, 1)),
        show(FOUR, FIVE));
    expect("descending", show(4, read.find(key("3"), FindOperator.LE, 10, 0)),
        show(THREE, TWO, ONE));
    expect("descending with limit", show(4, read.find(key("3"), FindOperator.LT, 1, 0)), show(TWO));
    expect("limit 0 is one row", show(4, read.find(key("1"), FindOperator.GE, 0, 0)), show(ONE));
    expect("secondary index", show(2, byName.find(key("bob"), FindOperator.EQ, 10, 0)),
        show(new String[] {"2", "bob"}, new String[] {"5", "bob"}));
    expect("secondary index, not found", show(2, byName.find(key("nobody"))), show());

    String[] robert = {"2", "robert", null, "21"};
    expect("update", write.update(key("2"), robert, FindOperator.EQ), 1);
    expect("updated", show(4, read.find(key("2"))), show(robert));
    String[] nobody = {"99", "x", "", "0"};
    expect("update of nothing", write.update(key("99"), nobody, FindOperator.EQ), 0);
    statement = write.createStatement();
    statement.setInt(1, 5);
    statement.setString(2, "bob");
    statement.setString(3, "");
    statement.setInt(4, 51);
    expect("update by statement", statement.update(key("5"), FindOperator.EQ, 3, 0), 1);
    expect("updated to the empty string", show(4, read.find(key("5"))),
        show(new String[] {"5", "bob", "", "51"}));
    expect("delete", write.delete(key("4")), 1);
    expect("delete of nothing", write.delete(key("4"), FindOperator.EQ, 1, 0), 0);
    expect("deleted", show(4, read.find(key("4"))), show());

    expectError("write on the read port", "readonly", () -> read.insert(FOUR));
    expectError("unknown table", "open_table",
        () -> reader.openIndexSession(3, "test", "no_such_table", "PRIMARY", COLUMNS));
    expectError("unknown index", "idxnum",
        () -> reader.openIndexSession(3, "test", table, "no_such_index", COLUMNS));
    expectError("unknown column", "fld",
        () -> reader.openIndexSession(3, "test", table, "PRIMARY", key("no_such_column")));
    expect("after the errors", show(4, read.find(key("1"))), show(ONE));
  }

  // Three connections in one client: it opens the index on each of them.
  private static void drivePool(String host, int port, String table) throws Exception {
    HSClient pool = new HSClientImpl(host, port, 3);
    IndexSession read = pool.openIndexSession(7, "test", table, "PRIMARY", COLUMNS);
    for (int i = 0; i < 12; ++i) {
      expect("exact from a pool", show(4, read.find(key("1"))), show(ONE));
    }
    pool.shutdown();
  }

  public static void main(String[] arguments) {
    String host = arguments[0];
    int port = Integer.parseInt(arguments[1]);
    int portWr = Integer.parseInt(arguments[2]);
    Thread giveUp = new Thread(() -> {
      try {
        Thread.sleep(60000);
      } catch (InterruptedException done) {
        return;
      }
      System.out.println("no answer within 60 seconds");
      Runtime.getRuntime().halt(1);
    });
    giveUp.setDaemon(true);
    giveUp.start();
    int status = 1;
    try {
      HSClient reader = new HSClientImpl(host, port, 1);
      HSClient writer = new HSClientImpl(host, portWr, 1);
      drive(reader, writer, arguments[3]);
      drivePool(host, port, arguments[3]);
      reader.shutdown();
      writer.shutdown();
      System.out.println("ok java hs4j 0.1");
      status = 0;
    } catch (Difference difference) {
      System.out.println(difference.getMessage());
    } catch (Throwable error) {
      error.printStackTrace(System.out);
    }
    System.out.flush();
    Runtime.getRuntime().halt(status);
  }
}
