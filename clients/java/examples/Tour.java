import java.util.List;
import org.handlersocket2.Client;
import org.handlersocket2.DuplicateKeyError;
import org.handlersocket2.Pipeline;
import org.handlersocket2.Query;
import org.handlersocket2.Range;
import org.handlersocket2.Result;
import org.handlersocket2.Row;
import org.handlersocket2.Table;
import org.handlersocket2.When;

/** Uses most calls on the table test.user. */
public class Tour {
  private static final long ID = 4_000_000_123L;

  /** Fields by the names of columns: userId is user_id. */
  public static class User {
    long userId;
    String userName;
  }

  /** Takes the server from HS_URL. */
  public static void main(String[] arguments) {
    try (Client client = Client.connect()) {
      Table users = client.table("test.user").columns("user_id", "user_name");
      users.delete(ID);
      changes(users);
      reads(client, users);
      client.inTransaction(
          transaction -> users.in(transaction).update(ID, Row.of("user_name", "for good")));
      System.out.println(users.returning(When.BEFORE).delete(ID, new Query()));
    }
  }

  private static void changes(Table users) {
    users.insert(Row.of("user_id", ID, "user_name", "new"));
    try {
      users.insert(Row.of("user_id", ID, "user_name", "again"));
    } catch (DuplicateKeyError e) {
      System.out.println("it is there already");
    }
    System.out.println(users.upsert(Row.of("user_id", ID, "user_name", "newer")).did());
    Row expected = Row.of("user_name", "newer");
    System.out.println(users.compareAndSet(ID, expected, Row.of("user_name", "newest")));
  }

  private static void reads(Client client, Table users) {
    System.out.println(users.get(ID, User.class).userName);
    Query query = new Query().limit(3).where("user_name", "!=", "x");
    System.out.println(users.find("<=", ID, query));
    for (Row row : users.range(new Range().from(ID).page(100))) {
      System.out.println(row.getLong("user_id"));
    }
    Pipeline pipeline = client.pipeline();
    Result<Row> row = pipeline.add(users.call().get(ID));
    Result<Boolean> other = pipeline.add(users.call().exists(List.of(ID)));
    pipeline.run();
    System.out.println(row.get() + " " + other.get());
  }
}
