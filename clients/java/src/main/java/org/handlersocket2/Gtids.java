package org.handlersocket2;

import java.util.Map;
import java.util.TreeMap;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.Requests;

/** The GTIDs of the client's own last changes, one for each domain. It is safe for threads. */
final class Gtids {
  private final Map<String, String> last = new TreeMap<>();

  private synchronized void add(String list) {
    for (String gtid : list.split(",")) {
      if (gtid.matches("[0-9]+-[0-9]+-[0-9]+")) {
        last.merge(
            gtid.substring(0, gtid.indexOf('-')),
            gtid,
            (old, other) -> sequence(other) > sequence(old) ? other : old);
      }
    }
  }

  private static long sequence(String gtid) {
    return Long.parseUnsignedLong(gtid.substring(gtid.lastIndexOf('-') + 1));
  }

  synchronized String list() {
    return String.join(",", last.values());
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
