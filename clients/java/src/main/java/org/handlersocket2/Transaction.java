package org.handlersocket2;

import java.util.List;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Requests;

/**
 * A transaction, with a connection of its own. It carries out one call at a time: those of other
 * threads wait for their turn. Its end without {@link #commit} rolls it back.
 */
public final class Transaction extends Executor implements AutoCloseable {
  private final Client client;
  private final Place place;
  private Connection connection; // Null when it has ended.
  private boolean changed;

  private Transaction(Client client, Place place, Connection connection) {
    this.client = client;
    this.place = place;
    this.connection = connection;
  }

  static Transaction begin(Client client, Place place, Line line) {
    Transaction begun = new Transaction(client, place, place.take(true));
    try {
      begun.step("begin", line);
      return begun;
    } catch (RuntimeException e) {
      begun.abandon(); // T B that fails loses what follows.
      throw e;
    }
  }

  /** Returns a table inside of the transaction. */
  public Table table(String name) {
    return client.table(name).in(this);
  }

  /** Returns an empty pipeline inside of the transaction. */
  public Pipeline pipeline() {
    return new Pipeline(this);
  }

  /** Sends one line as it is, on the transaction's connection. */
  public RawReply raw(String... tokens) {
    return RawReply.call(this, true, tokens).run();
  }

  /**
   * Ends the transaction. After an error nothing was kept, unless it is a {@link ConnectionError}
   * that was sent.
   */
  public synchronized void commit() {
    try {
      step("commit", Requests.commit());
      if (changed) {
        learn();
      }
    } finally {
      end();
    }
  }

  private void learn() {
    try {
      client.learn(connection);
    } catch (ConnectionError e) {
      connection.broken = true; // The commit is done.
    }
  }

  /** Ends the transaction, and nothing is kept. */
  public synchronized void rollback() {
    try {
      step("rollback", Requests.rollback());
    } catch (HandlerSocketError e) {
      abandon();
      throw e;
    } finally {
      end();
    }
  }

  /** Sets a savepoint; its name has 1 to 256 bytes. */
  public void savepoint(String name) {
    step("savepoint", Requests.savepoint(name));
  }

  /** Undoes what was done since a savepoint. */
  public void rollbackTo(String name) {
    step("rollback_to", Requests.rollbackTo(name));
  }

  /** Rolls back what was not committed. */
  @Override
  public synchronized void close() {
    if (connection == null) {
      return;
    }
    try {
      rollback();
    } catch (HandlerSocketError e) {
      // Its connection has ended, and so the server rolls back.
    }
  }

  private void step(String kind, Line line) {
    new Call<Void>(
            this,
            lines ->
                new Request<Void>(kind, FullName.NONE, line, reply -> null)
                    .needs("transaction")
                    .expect(Expect.NOTHING))
        .run();
  }

  @Override
  Client client() {
    return client;
  }

  /** Carries requests out, each once. */
  @Override
  synchronized HandlerSocketError carryOut(List<Request<?>> requests) {
    int answered = 0;
    ConnectionError failed = null;
    if (connection == null) {
      failed = new ConnectionError("the transaction has ended", false, null);
    } else if (connection.broken) {
      failed = new ConnectionError("the transaction's connection broke", false, null);
    } else {
      connection.limit(client.options.nanos("timeout"));
      Exchange exchange = new Exchange(connection, requests);
      try {
        exchange.run();
      } catch (ConnectionError e) {
        failed = e;
      }
      answered = exchange.answered();
      changed |= requests.subList(0, answered).stream().anyMatch(request -> request.change);
    }
    for (Request<?> request : requests.subList(answered, requests.size())) {
      request.fail(failed);
    }
    return failed;
  }

  private void abandon() {
    if (connection != null) {
      connection.broken = true;
      end();
    }
  }

  private void end() {
    if (connection != null) {
      place.give(connection);
      connection = null;
    }
  }
}
