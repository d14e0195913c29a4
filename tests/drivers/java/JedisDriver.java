import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.util.SafeEncoder;

/** The session of README.md with Jedis, first by version 2 of the protocol and then by version 3. */
public final class JedisDriver {
  private static final byte[] BINARY = {'<', 0, (byte) 0xff, '>', '\r', '\n'};

  private JedisDriver() {}

  static void check(Object found, Object wanted) {
    if (!Objects.equals(found, wanted)) {
      throw new AssertionError(found + " instead of " + wanted);
    }
  }

  static Jedis connect(RedisProtocol protocol) {
    DefaultJedisClientConfig config = DefaultJedisClientConfig.builder().protocol(protocol).clientName("driver").build();
    return new Jedis(new HostAndPort("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), config);
  }

  static void strings(Jedis client) {
    check(client.set("page:a".getBytes(), BINARY, SetParams.setParams().ex(100)), "OK");
    check(Arrays.equals(client.get("page:a".getBytes()), BINARY), true);
    check(client.ttl("page:a") >= 99 && client.ttl("page:a") <= 101, true);
    check(client.set("page:a", "x", SetParams.setParams().nx()), null);
    check(client.mset("page:a", "one", "page:b", "two"), "OK");
    check(client.mget("page:a", "page:none"), Arrays.asList("one", null));
    check(client.append("page:b", "!"), 4L);
    check(client.setGet("page:b", "2"), "two!");
    check(client.exists("page:a", "page:b", "page:none"), 2L);
    check(client.expire("page:b", 50), 1L);
    check(client.persist("page:b"), 1L);
    check(client.ttl("page:b"), -1L);
    check(client.incr("count:c"), 1L);
    check(client.incrBy("count:c", 41), 42L);
    check(client.decr("count:c"), 41L);
    check(client.incrByFloat("page:b", 0.5), 2.5);
  }

  static void hashes(Jedis client) {
    check(client.hset("user:1", Map.of("name", "ada", "visits", "1")), 2L);
    check(client.hincrBy("user:1", "visits", 4), 5L);
    check(client.hmget("user:1", "visits", "none", "name"), Arrays.asList("5", null, "ada"));
    check(client.hgetAll("user:1"), Map.of("id", "1", "name", "ada", "visits", "5"));
    check(client.hexists("user:1", "name"), true);
  }

  static void transactions(Jedis client, Jedis other) {
    Transaction both = client.multi();
    Response<Long> counted = both.incr("count:t");
    Response<String> read = both.get("page:a");
    both.exec();
    check(counted.get(), 1L);
    check(read.get(), "one");
    client.watch("count:t");
    other.incr("count:t");
    Transaction late = client.multi();
    late.incr("count:t");
    check(late.exec(), null);
    check(client.get("count:t"), "2");
  }

  static void scan(Jedis client) {
    TreeSet<String> found = new TreeSet<>();
    String cursor = ScanParams.SCAN_POINTER_START;
    do {
      var part = client.scan(cursor, new ScanParams().match("page:*").count(1));
      found.addAll(part.getResult());
      cursor = part.getCursor();
    } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    check(new ArrayList<>(found), List.of("page:a", "page:b"));
  }

  static void pipeline(Jedis client) {
    Pipeline pipe = client.pipelined();
    List<Response<Long>> counted = new ArrayList<>();
    for (int i = 0; i < 100; ++i) {
      counted.add(pipe.incr("count:p"));
    }
    pipe.sync();
    check(Collections.max(counted.stream().map(Response::get).toList()), 100L);
  }

  static void refused(Jedis client) throws Exception {
    for (String line : Files.readAllLines(Path.of(System.getenv("REFUSED")))) {
      String[] parts = line.split("\t");
      String[] words = parts[0].split(" ");
      try {
        Object found = client.sendCommand(() -> SafeEncoder.encode(words[0]), Arrays.copyOfRange(words, 1, words.length));
        throw new AssertionError(parts[0] + ": " + found);
      } catch (JedisDataException told) {
        check(told.getMessage().startsWith(parts[1]) ? parts[1] : told.getMessage(), parts[1]);
      }
    }
  }

  static void account(RedisProtocol protocol) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (var file = Files.newInputStream(Path.of(System.getenv("CA")))) {
      trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, managers.getTrustManagers(), null);
    try (Jedis client = guarded(protocol, tls, "se'cret")) {
      check(client.set("page:t", "over TLS"), "OK");
      check(client.get("page:t"), "over TLS");
    }
    try (Jedis client = guarded(protocol, tls, "wrong")) {
      throw new AssertionError("a wrong password is taken: " + client.ping());
    } catch (JedisAccessControlException told) {
      check(told.getMessage().startsWith("WRONGPASS"), true);
    }
  }

  static Jedis guarded(RedisProtocol protocol, SSLContext tls, String password) {
    DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder().protocol(protocol);
    config.user("driver").password(password).ssl(true).sslSocketFactory(tls.getSocketFactory());
    return new Jedis(new HostAndPort("127.0.0.1", Integer.parseInt(System.getenv("GUARDED_PORT"))), config.build());
  }

  public static void main(String[] arguments) throws Exception {
    for (RedisProtocol protocol : RedisProtocol.values()) {
      try (Jedis client = connect(protocol); Jedis other = connect(protocol)) {
        strings(client);
        hashes(client);
        transactions(client, other);
        scan(client);
        pipeline(client);
        refused(client);
        account(protocol);
        check(client.del("page:a", "page:b", "count:c", "count:p", "count:t", "user:1"), 6L);
      }
    }
    try (Jedis client = connect(RedisProtocol.RESP3)) {
      check(client.set("page:left", "jedis"), "OK");
    }
    System.out.println("ok jedis");
  }
}
