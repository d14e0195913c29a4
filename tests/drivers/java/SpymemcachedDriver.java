import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.spy.memcached.CASResponse;
import net.spy.memcached.CASValue;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;
import net.spy.memcached.MemcachedClient;
import net.spy.memcached.auth.AuthDescriptor;
import net.spy.memcached.auth.PlainCallbackHandler;

/** The session of README.md with spymemcached, by text and by the binary protocol, which also logs in by SASL. */
public final class SpymemcachedDriver {
  private SpymemcachedDriver() {}

  static void check(Object found, Object wanted) {
    if (!Objects.equals(found, wanted)) {
      throw new AssertionError(found + " instead of " + wanted);
    }
  }

  static InetSocketAddress place(String variable) {
    return new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv(variable)));
  }

  static ConnectionFactoryBuilder builder(Protocol protocol) {
    return new ConnectionFactoryBuilder().setProtocol(protocol).setOpTimeout(60_000);
  }

  static void values(MemcachedClient client) throws Exception {
    check(client.get("x:a"), null);
    check(client.set("x:a", 100, "one").get(), true);
    check(client.get("x:a"), "one");
    check(client.add("x:a", 0, "x").get(), false);
    check(client.replace("x:none", 0, "x").get(), false);
    check(client.set("x:o", 0, List.of(1, 2)).get(), true);
    check(client.get("x:o"), List.of(1, 2));
    check(client.getBulk("x:a", "x:none", "x:o"), Map.of("x:a", "one", "x:o", List.of(1, 2)));
    check(client.append(0, "x:a", "!").get(), true);
    check(client.prepend(0, "x:a", ">").get(), true);
    check(client.get("x:a"), ">one!");
    check(client.touch("x:a", 50).get(), true);
    check(client.delete("x:o").get(), true);
    check(client.delete("x:o").get(), false);
  }

  static void numbers(MemcachedClient client) {
    check(client.incr("x:n", 1, 9), 9L);
    check(client.incr("x:n", 33), 42L);
    check(client.decr("x:n", 100), 0L);
  }

  static void versions(MemcachedClient client) throws Exception {
    client.set("x:v", 0, "1").get();
    CASValue<Object> read = client.gets("x:v");
    check(client.cas("x:v", read.getCas(), "2"), CASResponse.OK);
    check(client.cas("x:v", read.getCas(), "3"), CASResponse.EXISTS);
    check(client.cas("x:none", read.getCas(), "3"), CASResponse.NOT_FOUND);
    check(client.get("x:v"), "2");
  }

  static void account() throws Exception {
    AuthDescriptor login = new AuthDescriptor(new String[] {"PLAIN"}, new PlainCallbackHandler("driver", "se'cret"));
    MemcachedClient client =
        new MemcachedClient(builder(Protocol.BINARY).setAuthDescriptor(login).build(), List.of(place("GUARDED_PORT")));
    check(client.set("x:t", 0, "over TLS").get(), true);
    check(client.get("x:t"), "over TLS");
    client.shutdown();
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SunLogger");
    Logger.getLogger("net.spy.memcached").setLevel(Level.OFF);
    for (Protocol protocol : Protocol.values()) {
      MemcachedClient client = new MemcachedClient(builder(protocol).build(), List.of(place("PORT")));
      values(client);
      numbers(client);
      versions(client);
      check(client.flush().get(), false);
      for (String key : List.of("x:a", "x:n", "x:v")) {
        check(client.delete(key).get(), true);
      }
      check(client.set("x:left", 0, "spymemcached").get(), true);
      client.shutdown();
    }
    account();
    System.out.println("ok spymemcached");
  }
}
