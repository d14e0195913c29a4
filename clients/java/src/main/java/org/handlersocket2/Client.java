package org.handlersocket2;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Requests;

/**
 * A pool of connections to each place: the read port, the write port, each replica. It is safe for
 * threads. Every error is a {@link HandlerSocketError}.
 */
public final class Client extends Executor implements AutoCloseable {
  final Options options;
  final Map<String, Layout> layouts = new ConcurrentHashMap<>();
  private final Place read;
  private final Place write; // Null when there is none.
  private final List<Place> replicas = new ArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();
  private final Gtids gtids = new Gtids();

  private Client(Options options) {
    this.options = options;
    Tls tls = options.text("tls").equals("off") ? null : new Tls(options);
    String secret = options.text("secret");
    String writeSecret = options.text("write_secret");
    writeSecret = writeSecret.isEmpty() ? secret : writeSecret;
    String host = options.text("host");
    String socket = options.text("socket");
    String writeSocket = options.text("write_socket");
    read =
        new Place(
            options,
            tls,
            socket.isEmpty()
                ? Address.tcp(host, options.number("port"), secret)
                : Address.unix(socket, secret));
    if (!writeSocket.isEmpty()) {
      write = new Place(options, tls, Address.unix(writeSocket, writeSecret));
    } else if (socket.isEmpty()) {
      int port = options.number("write_port");
      write = new Place(options, tls, Address.tcp(host, port, writeSecret));
    } else {
      write = null;
    }
    for (String address : options.replicas()) {
      Address to = Address.parse("replicas", address).withSecret(secret);
      replicas.add(new Place(options, tls, to));
    }
  }

  /** Returns a client for the URL of HS_URL, or the option file. Nothing is opened yet. */
  public static Client connect() {
    return connect("");
  }

  /**
   * Returns a client for a URL: hs://user:password@host:9998/database?write_port=9999. Nothing is
   * opened before it is needed.
   *
   * @throws ConfigurationError when an option is wrong
   */
  public static Client connect(String url) {
    return connect(Options.builder(url).build());
  }

  /** Returns a client for options. Nothing is opened before it is needed. */
  public static Client connect(Options options) {
    return new Client(options);
  }

  /** Closes all connections. Those that are in use are closed when their call ends. */
  @Override
  public void close() {
    read.close();
    if (write != null) {
      write.close();
    }
    replicas.forEach(Place::close);
  }

  /** Opens a connection to the read port, if there is none, and gets an answer. */
  public void ping() {
    raw(Port.READ, "H", "2", options.text("name"));
  }

  /** Returns what the server can do beyond the original protocol. */
  public List<String> features() {
    Connection connection = read.take();
    List<String> features = connection.features;
    read.give(connection);
    return features;
  }

  /** Returns a table by its name: database.table, or table when the client has a database. */
  public Table table(String name) {
    return new Table(this, name);
  }

  /** Returns an empty pipeline. */
  public Pipeline pipeline() {
    return new Pipeline(this);
  }

  /**
   * Sends one line as it is, its tokens joined by TABs, and returns the reply, be it an error or
   * not. It is for what has no call here. On the write port it is never sent again.
   */
  public RawReply raw(Port port, String... tokens) {
    return RawReply.call(this, port == Port.WRITE, tokens).run();
  }

  /** Returns the names of the databases. */
  public List<Row> describe() {
    return Layout.describe(this, "", "", false).run();
  }

  /** Returns the tables of a database, or the columns of database.table, by the names of D. */
  public List<Row> describe(String name) {
    String[] parts = name.split("\\.", 2);
    return Layout.describe(this, parts[0], parts.length > 1 ? parts[1] : "", false).run();
  }

  /** Returns the columns of all indexes of a table, by the names of D. */
  public List<Row> indexes(String table) {
    String[] parts = splitName(table);
    return Layout.describe(this, parts[0], parts[1], true).run();
  }

  String[] splitName(String full) {
    String[] parts = full.split("\\.", 2);
    String database = parts.length > 1 ? parts[0] : options.text("database");
    String name = parts[parts.length - 1];
    if (database.isEmpty() || name.isEmpty()) {
      throw new ValueError("a table has a name and a database: database.table");
    }
    return new String[] {database, name};
  }

  /** Begins a transaction at the server's own isolation. Use it with try: its end rolls back. */
  public Transaction begin() {
    return begin(Isolation.DEFAULT, false);
  }

  /**
   * Begins a transaction with a connection of its own. Use it with try: its end rolls back what is
   * not committed.
   *
   * @param readOnly is for one view of the data over many reads; it goes to the read port
   */
  public Transaction begin(Isolation isolation, boolean readOnly) {
    Line line = Requests.begin(isolation.token(), readOnly);
    for (int attempt = 0; ; attempt++) {
      try {
        Place place = readOnly ? read : writePlace();
        return Transaction.begin(this, place, line);
      } catch (ConnectionError e) {
        if (!isRetryable(e, true) || attempt >= options.number("retries")) {
          throw e;
        }
        pause(attempt);
      }
    }
  }

  /**
   * Runs a function inside of a transaction, which is committed when it returns and rolled back
   * when it throws. Nothing is repeated by itself.
   */
  public <T> T transaction(Function<Transaction, T> work) {
    try (Transaction transaction = begin()) {
      T result = work.apply(transaction);
      transaction.commit();
      return result;
    }
  }

  /** Is {@link #transaction} without a result. */
  public void inTransaction(Consumer<Transaction> work) {
    transaction(
        transaction -> {
          work.accept(transaction);
          return null;
        });
  }

  /**
   * Returns the GTID of the last change of this client, several with commas when there are several
   * domains, or the empty text. A change in a call that has not ended does not count.
   */
  public String lastGtid() {
    for (Connection connection : write == null ? List.<Connection>of() : write.takeChanged()) {
      try {
        ask(connection);
      } finally {
        write.give(connection);
      }
    }
    return gtids.list();
  }

  private void ask(Connection connection) {
    connection.limit(options.nanos("timeout"));
    new Exchange(connection, List.of(gtids.ask())).run();
    connection.changed = false;
  }

  /** Learns the GTID of a transaction that was committed, where reads wait for it. */
  void learn(Connection connection) {
    if (options.on("read_your_writes")) {
      ask(connection);
    }
  }

  /**
   * Waits on the read port until the GTIDs are applied there, and tells whether they are.
   *
   * @param longest at most ten minutes
   */
  public boolean waitForGtid(String gtid, Duration longest) {
    Line line = Requests.waitGtid(gtid, longest.toMillis());
    return new Call<>(
            this,
            () -> {
              Request wait = new Request("wait_for_gtid", "", null, line).needs("gtid");
              wait.patience = longest.toNanos();
              return new Call.Plan<>(wait, reply -> "1".equals(reply.string(0)));
            })
        .run();
  }

  @Override
  Client client() {
    return this;
  }

  @Override
  HandlerSocketError carryOut(List<Request> requests) {
    Attempt attempt = new Attempt(requests);
    HandlerSocketError failed = attempt.runAndRepeat();
    for (Request request : attempt.left) {
      request.done.accept(null, failed);
    }
    return failed;
  }

  /** One way of requests to the server, and more where that is safe. */
  private final class Attempt {
    private List<Request> left;
    private final boolean change;
    private boolean again; // It is safe to send the rest again.

    Attempt(List<Request> requests) {
      left = requests;
      change = requests.stream().anyMatch(request -> request.change);
    }

    HandlerSocketError runAndRepeat() {
      for (int attempt = 0; ; attempt++) {
        HandlerSocketError failed = run();
        if (failed == null || !again || attempt >= options.number("retries")) {
          return failed;
        }
        pause(attempt);
      }
    }

    private HandlerSocketError run() {
      while (true) {
        again = true;
        boolean reused = false;
        boolean unsent = true;
        HandlerSocketError failed = null;
        try (Taken taken = take(change)) {
          reused = taken.connection.reused;
          int answered = 0;
          try {
            answered = use(taken.connection);
            left = left.subList(answered, left.size());
          } catch (Broken e) {
            answered = e.answered;
            left = left.subList(answered, left.size());
            unsent = answered == 0 && !e.error.sent();
            failed = e.error;
          }
        } catch (HandlerSocketError e) {
          failed = e;
        }
        again = isRetryable(failed, unsent || !change);
        if (failed == null || !reused || !unsent || !again) {
          return failed;
        } // Else it was closed while it was idle.
      }
    }

    private int use(Connection connection) throws Broken {
      List<Request> all = left;
      boolean asks = change && options.on("read_your_writes");
      if (asks) {
        all = new ArrayList<>(left);
        all.add(gtids.ask());
      }
      long extra = left.stream().mapToLong(request -> request.patience).sum();
      connection.limit(options.patience(extra));
      Exchange exchange = new Exchange(connection, all);
      try {
        exchange.run();
        connection.changed &= !asks;
      } catch (ConnectionError e) {
        if (exchange.answered() < left.size()) {
          throw new Broken(exchange.answered(), e);
        } // Else the answers are there, whatever became of the question behind them.
      }
      return left.size();
    }
  }

  /** A connection broke before all was answered. */
  private static final class Broken extends Exception {
    private static final long serialVersionUID = 1L;
    private final int answered;
    private final ConnectionError error;

    Broken(int answered, ConnectionError error) {
      this.answered = answered;
      this.error = error;
    }
  }

  /** A connection that is given back at the end. */
  private static final class Taken implements AutoCloseable {
    private final Place place;
    private final Connection connection;

    Taken(Place place, Connection connection) {
      this.place = place;
      this.connection = connection;
    }

    @Override
    public void close() {
      place.give(connection);
    }
  }

  private Place writePlace() {
    if (write == null) {
      throw new ConfigurationError("write_socket", "it is missing");
    }
    return write;
  }

  private Taken take(boolean change) {
    if (change) {
      return new Taken(writePlace(), write.take());
    }
    int first = turn.getAndIncrement();
    for (int i = 0; i < replicas.size(); i++) {
      Place place = replicas.get(Math.floorMod(first + i, replicas.size()));
      Connection connection;
      try {
        connection = place.take();
      } catch (Place.ClosedError e) {
        throw e;
      } catch (HandlerSocketError e) {
        continue; // The next one is asked.
      }
      if (isFresh(connection)) {
        return new Taken(place, connection);
      }
      place.give(connection);
    }
    return new Taken(read, read.take());
  }

  /** Tells whether a replica has the client's own last change. */
  private boolean isFresh(Connection replica) {
    String wanted = options.on("read_your_writes") ? gtids.list() : "";
    if (wanted.isEmpty() || wanted.equals(replica.applied)) {
      return true;
    }
    if (!replica.has("gtid")) {
      return false;
    }
    long limit = options.nanos("gtid_timeout");
    boolean[] applied = {false};
    replica.limit(options.patience(limit));
    try {
      Line line = Requests.waitGtid(wanted, limit / 1_000_000).raw('\n');
      replica.talk(line, 1, reply -> applied[0] = reply.code() == 0 && "1".equals(reply.string(0)));
    } catch (ConnectionError e) {
      return false;
    }
    replica.applied = applied[0] ? wanted : replica.applied;
    return applied[0];
  }

  /** Only a broken connection is tried again, neither a timeout nor what is no reply. */
  private static boolean isRetryable(HandlerSocketError error, boolean safe) {
    return safe && error != null && error.getClass() == ConnectionError.class;
  }

  /** Waits before a reconnect, with full jitter. */
  private static void pause(int attempt) {
    long longest = Math.min(2000, 50L << Math.min(attempt, 10));
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(longest + 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The next attempt tells.
    }
  }
}
