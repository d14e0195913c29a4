package org.handlersocket2;

import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.Requests;

/**
 * The GTIDs of the client's own last changes: the highest of each domain of MariaDB ({@code
 * domain-server-number}), of each UUID and tag of MySQL ({@code uuid:number}, {@code
 * uuid:tag:number}). It is safe for threads.
 */
final class Gtids {
  /** The number is the group 2 or 4; what numbers the changes is the group before it. */
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9]{1,10})-[0-9]{1,10}-([0-9]{1,20})"
              + "|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[a-z_][a-z0-9_]{0,31})?):([0-9]{1,19})");

  private final Map<String, Known> last = new TreeMap<>();

  private static final class Known {
    final BigInteger number;
    final String gtid;

    Known(BigInteger number, String gtid) {
      this.number = number;
      this.gtid = gtid;
    }
  }

  /** Takes notice of one, unless it is older than what is known. */
  synchronized void add(String gtid) {
    Matcher parts = FORM.matcher(gtid);
    if (parts.matches()) {
      int source = parts.group(1) != null ? 1 : 3;
      last.merge(
          parts.group(source),
          new Known(new BigInteger(parts.group(source + 1)), gtid),
          (old, other) -> other.number.compareTo(old.number) > 0 ? other : old);
    }
  }

  synchronized String list() {
    return last.values().stream().map(known -> known.gtid).collect(Collectors.joining(","));
  }

  /** The request that learns the GTID of what was sent before it. */
  Request<Void> ask() {
    return new Request<>("last_gtid", FullName.NONE, Requests.lastGtid(), this::learn)
        .needs("gtid")
        .expect(Expect.rows(1, 1));
  }

  private Void learn(Reply reply) { // A server without a binary log has none.
    if (reply.count() == 1) {
      add(reply.string(0));
    }
    return null;
  }
}
