package org.handlersocket2;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
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
  final Map<FullName, Layout> layouts = new ConcurrentHashMap<>();
  private final Gtids gtids = new Gtids();
  private final Places places;

  private Client(Options options) {
    this.options = options;
    places = new Places(options, gtids);
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
    places.close();
  }

  /** Opens a connection to the read port, if there is none, and gets an answer. */
  public void ping() {
    raw(Port.READ, "H", "2", options.text("name"));
  }

  /** Returns what the server can do beyond the original protocol. */
  public List<String> features() {
    try (Places.Taken taken = places.takePrimary()) {
      return taken.connection.features;
    }
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
   * not. It is for what has no call here and belongs to no connection, as an index, a login or a
   * transaction does. On the write port it is never sent again.
   */
  public RawReply raw(Port port, String... tokens) {
    return RawReply.call(this, port == Port.WRITE, tokens).run();
  }

  /** Returns the names of the databases. */
  public List<Row> describe() {
    return Layout.describe(this, FullName.NONE, false).run();
  }

  /** Returns the tables of a database, or the columns of database.table, by the names of D. */
  public List<Row> describe(String name) {
    String[] parts = FullName.parts(name);
    FullName full = new FullName(parts[0], parts.length > 1 ? parts[1] : "");
    return Layout.describe(this, full, false).run();
  }

  /** Returns the columns of all indexes of a table, by the names of D. */
  public List<Row> indexes(String table) {
    return Layout.describe(this, splitName(table), true).run();
  }

  FullName splitName(String full) {
    String[] parts = FullName.parts(full);
    String database = parts.length > 1 ? parts[0] : options.text("database");
    String name = parts[parts.length - 1];
    if (database.isEmpty()) {
      throw new ValueError("a table has a name and a database: database.table");
    }
    return new FullName(database, name);
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
        return Transaction.begin(this, readOnly ? places.read() : places.write(), line);
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
    HandlerSocketError failed = null;
    for (Places.Taken taken : places.takeChanged()) {
      try (taken) {
        ask(taken.connection);
      } catch (ConnectionError e) {
        failed = e; // The others are asked, and given back, all the same.
      }
    }
    if (failed != null) {
      throw failed;
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
            lines -> {
              Request<Boolean> wait =
                  new Request<>("wait_for_gtid", FullName.NONE, line, Places::isApplied);
              wait.patience = longest.toNanos();
              return wait.needs("gtid").expect(Expect.COUNT);
            })
        .run();
  }

  @Override
  Client client() {
    return this;
  }

  @Override
  HandlerSocketError carryOut(List<Request<?>> requests) {
    Attempt attempt = new Attempt(requests);
    HandlerSocketError failed = attempt.runAndRepeat();
    for (Request<?> request : attempt.left) {
      request.fail(failed);
    }
    return failed;
  }

  /** One way of requests to the server, and more where that is safe. */
  private final class Attempt {
    private List<Request<?>> left;
    private final boolean change;
    private boolean again; // It is safe to send the rest again.

    Attempt(List<Request<?>> requests) {
      left = requests;
      boolean some = false; // A stream would take much longer, above all in a new process.
      for (Request<?> request : requests) {
        some |= request.change;
      }
      change = some;
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
        try (Places.Taken taken = places.take(change)) {
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
      List<Request<?>> all = left;
      boolean asks = change && options.on("read_your_writes");
      if (asks) {
        all = new ArrayList<>(left);
        all.add(gtids.ask());
      }
      long extra = 0;
      for (Request<?> request : left) {
        extra += request.patience;
      }
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
