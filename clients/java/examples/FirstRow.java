import org.handlersocket2.Client;
import org.handlersocket2.Row;

/** Reads one row. */
public class FirstRow {
  /** Takes the server from HS_URL. */
  public static void main(String[] arguments) {
    try (Client client = Client.connect()) {
      Row row = client.table("test.user").get(101);
      System.out.println(row == null ? "nobody" : row.getString("user_name"));
    }
  }
}
