import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.handlersocket2.Client;
import org.handlersocket2.Result;
import org.handlersocket2.Row;
import org.handlersocket2.Table;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** Looks rows up by their keys: ../README.md tells the arguments and what is printed. */
final class Load {
  private static final int BATCH = 100;
  private static final int THREADS = 16;
  private static final int MOST_SECONDS_TO_WARM_UP = 20;

  /** Fills in the values of some keys, one key or BATCH of them. */
  interface Lookup {
    void of(int[] keys, String[] values) throws Exception;
  }

  /** Gives each thread its own. */
  interface Target {
    Lookup connect() throws Exception;
  }

  private static Target hs(int port) {
    Client client = Client.connect("hs://127.0.0.1:" + port);
    Table table = client.table("test.pairs").columns("value");
    return () ->
        (keys, values) -> {
          if (keys.length == 1) {
            values[0] = table.get(keys[0]).getString("value");
            return;
          }
          org.handlersocket2.Pipeline pipeline = client.pipeline();
          List<Result<Row>> rows = new ArrayList<>(keys.length);
          for (int key : keys) rows.add(pipeline.add(table.call().get(key)));
          pipeline.run();
          for (int i = 0; i < keys.length; i++) values[i] = rows.get(i).get().getString("value");
        };
  }

  private static Target sql(int port, int count) {
    String url = "jdbc:mariadb://127.0.0.1:" + port + "/test?user=bench&useServerPrepStmts=true";
    String marks = String.join(",", Collections.nCopies(count, "?"));
    return () -> {
      Connection connection = DriverManager.getConnection(url);
      PreparedStatement statement =
          connection.prepareStatement("SELECT id, value FROM pairs WHERE id IN (" + marks + ")");
      return (keys, values) -> {
        for (int i = 0; i < keys.length; i++) statement.setInt(i + 1, keys[i]);
        try (ResultSet rows = statement.executeQuery()) {
          if (keys.length == 1) {
            rows.next();
            values[0] = rows.getString(2);
            return;
          }
          Map<Integer, String> found = new HashMap<>();
          while (rows.next()) found.put(rows.getInt(1), rows.getString(2));
          for (int i = 0; i < keys.length; i++) values[i] = found.get(keys[i]);
        }
      };
    };
  }

  private static Target redis(int port) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(THREADS);
    pool.setMaxIdle(THREADS);
    JedisPooled client = new JedisPooled(pool, "127.0.0.1", port);
    return () ->
        (keys, values) -> {
          if (keys.length == 1) {
            values[0] = client.get(Integer.toString(keys[0]));
            return;
          }
          try (Pipeline pipeline = (Pipeline) client.pipelined()) {
            List<Response<String>> found = new ArrayList<>(keys.length);
            for (int key : keys) found.add(pipeline.get(Integer.toString(key)));
            pipeline.sync();
            for (int i = 0; i < keys.length; i++) values[i] = found.get(i).get();
          }
        };
  }

  /** A socket, without a client: what the server and the kernel leave to be gained. */
  private static Target floor(int port) {
    return () -> {
      Socket socket = new Socket("127.0.0.1", port);
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      InputStream in = socket.getInputStream();
      out.write("P\t1\ttest\tpairs\tPRIMARY\tvalue\n".getBytes(StandardCharsets.ISO_8859_1));
      in.read(new byte[64]);
      byte[] answer = new byte[65536];
      return (keys, values) -> {
        StringBuilder request = new StringBuilder();
        for (int key : keys) request.append("1\t=\t1\t").append(key).append('\n');
        out.write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
        int have = 0;
        int begin = 0;
        int at = 0;
        for (int line = 0; line < keys.length; line++) {
          for (; ; at++) {
            if (at == have) have += more(in, answer, have);
            if (answer[at] == '\n') break;
          }
          values[line] = new String(answer, begin + 4, at - begin - 4, StandardCharsets.ISO_8859_1);
          begin = ++at;
        }
      };
    };
  }

  private static int more(InputStream in, byte[] answer, int have) throws IOException {
    int count = in.read(answer, have, answer.length - have);
    if (count <= 0) throw new IOException("no answer");
    return count;
  }

  /** One thread's part of the load. */
  private static final class Worker {
    final Lookup lookup;
    final int rows;
    final int[] keys;
    int next;
    long lookups;
    long wrong;

    Worker(Lookup lookup, int first, int rows, int count) {
      this.lookup = lookup;
      this.next = first;
      this.rows = rows;
      this.keys = new int[count];
    }

    void work(long end) {
      lookups = 0;
      String[] values = new String[keys.length];
      while (System.nanoTime() < end) {
        for (int i = 0; i < keys.length; i++) {
          next = (next + 7919) % rows;
          keys[i] = 1 + next;
          values[i] = "";
        }
        try {
          lookup.of(keys, values);
        } catch (Exception error) {
          throw new IllegalStateException(error);
        }
        lookups += keys.length;
        for (int i = 0; i < keys.length; i++) if (!right(values[i], keys[i])) wrong++;
      }
    }

    /** Whether it is the number with leading zeros; String.format would be most of the load. */
    private static boolean right(String value, int key) {
      int at = value.length();
      if (at != 60) return false;
      for (; at > 0; key /= 10) if (value.charAt(--at) != '0' + key % 10) return false;
      return true;
    }
  }

  private static void all(List<Worker> workers, double seconds) throws InterruptedException {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    List<Thread> threads = new ArrayList<>();
    for (Worker worker : workers) threads.add(new Thread(() -> worker.work(end)));
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
  }

  /**
   * Looks rows up until the compiler has had nothing to do for two seconds: it shares the core with
   * the load, and its CPU would be counted as that of the lookups.
   */
  private static void warmUp(List<Worker> workers) throws InterruptedException {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    int quiet = 0;
    for (int second = 0; quiet < 2 && second < MOST_SECONDS_TO_WARM_UP; second++) {
      long before = compiler.getTotalCompilationTime();
      all(workers, 1);
      quiet = compiler.getTotalCompilationTime() - before < 10 ? quiet + 1 : 0;
    }
  }

  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  public static void main(String[] arguments) throws Exception {
    String shape = arguments[1];
    int port = Integer.parseInt(arguments[2]);
    int rows = Integer.parseInt(arguments[3]);
    int count = shape.equals("pipeline") ? BATCH : 1;
    int threads = shape.equals("parallel") ? THREADS : 1;
    Target target;
    switch (arguments[0]) {
      case "hs": target = hs(port); break;
      case "sql": target = sql(port, count); break;
      case "redis": target = redis(port); break;
      default: target = floor(port);
    }
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++)
      workers.add(new Worker(target.connect(), (int) ((long) i * rows / threads), rows, count));
    warmUp(workers);
    long begin = System.nanoTime();
    long before = cpu();
    all(workers, Double.parseDouble(arguments[4]));
    double seconds = (System.nanoTime() - begin) / 1e9;
    double cpu = (cpu() - before) / 1e9;
    long lookups = workers.stream().mapToLong(worker -> worker.lookups).sum();
    long wrong = workers.stream().mapToLong(worker -> worker.wrong).sum();
    System.out.printf(
        Locale.ROOT,
        "{\"seconds\": %f, \"cpu\": %f, \"lookups\": %d, \"wrong\": %d}%n",
        seconds, cpu, lookups, wrong);
    System.exit(0);
  }
}
