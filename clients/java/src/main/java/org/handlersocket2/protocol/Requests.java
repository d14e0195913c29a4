package org.handlersocket2.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Set;
import org.handlersocket2.ValueError;

/** Requests that need no index. Each is one line, without its end. */
public final class Requests {
  private static final Set<String> LEVELS = Set.of("", "RU", "RC", "RR", "SR");

  private Requests() {}

  /** Begins a transaction. The isolation is RU, RC, RR, SR or empty. */
  public static Line begin(String isolation, boolean readOnly) {
    if (!LEVELS.contains(isolation)) {
      throw new ValueError("\"" + isolation + "\" is no isolation level: RU, RC, RR or SR");
    }
    Line line = new Line().raw("T\tB");
    if (!isolation.isEmpty()) {
      line.tab().raw(isolation);
    }
    return readOnly ? line.raw("\tRO") : line;
  }

  /** Commits a transaction. */
  public static Line commit() {
    return new Line().raw("T\tC");
  }

  /** Rolls a transaction back. */
  public static Line rollback() {
    return new Line().raw("T\tR");
  }

  /** Sets a savepoint; its name has 1 to 256 bytes. */
  public static Line savepoint(String name) {
    return savepoint("T\tS\t", name);
  }

  /** Undoes what was done since a savepoint. */
  public static Line rollbackTo(String name) {
    return savepoint("T\tU\t", name);
  }

  private static Line savepoint(String command, String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length < 1 || length > 256) {
      throw new ValueError("the name of a savepoint has 1 to 256 bytes");
    }
    return new Line().raw(command).argument(name);
  }

  /** Asks for the GTID of the connection's last change. */
  public static Line lastGtid() {
    return new Line().raw("G\tL");
  }

  /** Waits for GTIDs, for 0 to 600000 milliseconds. */
  public static Line waitGtid(String gtid, long milliseconds) {
    if (milliseconds < 0 || milliseconds > 600000) {
      throw new ValueError(milliseconds + " is no number of milliseconds from 0 to 600000");
    }
    return new Line().raw("G\tW\t").name(gtid).tab().number(milliseconds);
  }

  /** Asks for the server's features. */
  public static Line hello(long version, String client) {
    Line line = new Line().raw("H\t").number(version);
    return client.isEmpty() ? line : line.tab().name(client);
  }

  /** Asks what there is: databases, the tables of one, or the columns or indexes of a table. */
  public static Line describe(String database, String table, boolean indexes) {
    if (database.isEmpty() && !table.isEmpty() || table.isEmpty() && indexes) {
      throw new ValueError("indexes belong to a table, and a table to a database");
    }
    Line line = new Line().raw("D");
    for (String name : List.of(database, table)) {
      if (!name.isEmpty()) {
        line.tab().argument(name);
      }
    }
    return indexes ? line.raw("\tI") : line;
  }

  /** Shows the secret of a port. */
  public static Line secret(String secret) {
    return new Line().raw("A\t1\t").argument(secret);
  }

  /** Asks for a challenge to an account. */
  public static Line login(String user, List<String> methods) {
    Line line = new Line().raw("A\t2\t").argument(user);
    return methods.isEmpty() ? line : line.tab().raw(String.join(",", methods));
  }

  /** Answers a challenge. */
  public static Line answer(byte[] response) {
    Line line = new Line().raw("A\t3\t");
    for (byte one : response) {
      line.raw(String.format("%02x", one));
    }
    return line;
  }

  /** Sends the password itself: over TLS or a Unix socket only. */
  public static Line password(String user, String password) {
    return new Line().raw("A\t4\t").argument(user).tab().argument(password);
  }

  /** Answers a challenge of mysql_native_password. The answer to the empty password is empty. */
  public static byte[] nativePassword(byte[] password, byte[] challenge) {
    if (password.length == 0) {
      return password;
    }
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      byte[] once = sha1.digest(password);
      byte[] twice = sha1.digest(once);
      sha1.update(challenge);
      byte[] answer = sha1.digest(twice);
      for (int i = 0; i < answer.length; i++) {
        answer[i] ^= once[i];
      }
      return answer;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
