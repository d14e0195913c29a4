package org.handlersocket2;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.Requests;

/** The places of a client, and which of them a request goes to. It is safe for threads. */
final class Places {
  private final Options options;
  private final Gtids gtids;
  private final Place read;
  private final Place write; // Null when there is none.
  private final List<Place> replicas = new ArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  /** A connection that is given back at the end. */
  static final class Taken implements AutoCloseable {
    final Connection connection;
    private final Place place;

    private Taken(Place place, Connection connection) {
      this.place = place;
      this.connection = connection;
    }

    @Override
    public void close() {
      place.give(connection);
    }
  }

  Places(Options options, Gtids gtids) {
    this.options = options;
    this.gtids = gtids;
    Tls tls = options.text("tls").equals("off") ? null : new Tls(options);
    String secret = options.text("secret");
    String writeSecret = options.text("write_secret");
    Address from = address("socket", "port", secret);
    Address to =
        address("write_socket", "write_port", writeSecret.isEmpty() ? secret : writeSecret);
    read = new Place(options, tls, from);
    write = from.isUnix() && !to.isUnix() ? null : new Place(options, tls, to);
    for (String replica : options.replicas()) {
      Address address = Address.parse(replica).withSecret(secret);
      replicas.add(new Place(options, tls, address));
    }
  }

  private Address address(String socket, String port, String secret) {
    String path = options.text(socket);
    return path.isEmpty()
        ? Address.tcp(options.text("host"), options.number(port), secret)
        : Address.unix(path, secret);
  }

  void close() {
    read.close();
    if (write != null) {
      write.close();
    }
    replicas.forEach(Place::close);
  }

  Place read() {
    return read;
  }

  Place write() {
    if (write == null) {
      throw new ConfigurationError("write_socket", "it is missing");
    }
    return write;
  }

  /** A connection to the read port, and not to a replica. */
  Taken takePrimary() {
    return new Taken(read, read.take(false));
  }

  /** The idle connections that have changed something of which the GTID is not known. */
  List<Taken> takeChanged() {
    return write == null
        ? List.of()
        : write.takeChanged().stream()
            .map(connection -> new Taken(write, connection))
            .collect(Collectors.toList());
  }

  /** A connection for reads, from the replicas in turns, or for changes. */
  Taken take(boolean change) {
    if (change) {
      return new Taken(write(), write.take(true));
    }
    int first = turn.getAndIncrement();
    for (int i = 0; i < replicas.size(); i++) {
      Place place = replicas.get(Math.floorMod(first + i, replicas.size()));
      Connection connection;
      try {
        connection = place.take(false);
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
    return takePrimary();
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
      replica.talk(line, 1, 1, reply -> applied[0] = isApplied(reply));
    } catch (ConnectionError e) {
      return false;
    }
    replica.applied = applied[0] ? wanted : replica.applied;
    return applied[0];
  }

  /** Tells whether the reply to G W is that the GTIDs are applied. */
  static boolean isApplied(Reply reply) {
    return reply.code() == 0 && reply.count() > 0 && "1".equals(reply.string(0));
  }
}
