package org.handlersocket2;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.handlersocket2.protocol.Line;
import org.handlersocket2.protocol.Reply;
import org.handlersocket2.protocol.Requests;

/** Shows the secret or logs in to the account, and learns the server's features. */
final class Login {
  private static final String NATIVE = "mysql_native_password";
  private static final int VALUES_OF_HELLO = 6; // Nothing else of a login has more.

  private final Connection connection;
  private final Options options;
  private final String secret;
  private HandlerSocketError refused;
  private Reply challenge;
  private boolean noAccount;

  Login(Connection connection, Options options, String secret) {
    this.connection = connection;
    this.options = options;
    this.secret = secret;
  }

  void run() {
    if (!options.text("user").isEmpty() || !options.text("password").isEmpty()) {
      account();
    } else {
      withoutAccount();
    }
  }

  private void withoutAccount() {
    authenticate(secret.isEmpty() ? null : Requests.secret(secret));
  }

  /** Sends one line, or none, that is answered with success, and a hello behind it. */
  private void authenticate(Line line) {
    Line lines = new Line();
    if (line != null) {
      lines.raw(line).raw('\n');
    }
    lines.raw(Requests.hello(2, options.text("name"))).raw('\n');
    refused = null;
    int[] left = {line == null ? 1 : 2};
    talk(
        lines,
        left[0],
        reply -> {
          if (refused == null && --left[0] == 0) {
            greet(reply);
          } else if (refused == null && reply.code() != 0) {
            refused = ServerError.of(reply.code(), reply.text());
          } else if (refused == null && reply.columns() != 1) {
            refused = new ProtocolError("a second challenge");
          }
        });
    if (refused != null) {
      throw refused;
    }
  }

  /** A refusal tells more than the end of the connection behind it. */
  private void talk(Line lines, int count, java.util.function.Consumer<Reply> handle) {
    try {
      connection.talk(lines, count, VALUES_OF_HELLO, handle);
    } catch (ConnectionError e) {
      if (refused == null) {
        throw e;
      }
    }
  }

  private void greet(Reply reply) {
    if (reply.code() != 0 && reply.text().equals("cmd")) {
      connection.original = true;
    } else if (reply.code() != 0) {
      refused = ServerError.of(reply.code(), reply.text());
    } else if (reply.columns() == 6 && reply.count() == 6) {
      connection.greeted = true;
      connection.features = List.of(reply.string(4).split(","));
    }
  }

  /**
   * Logs in by the method that the server names, or else by the password itself where safe. A port
   * that asks for no account is used without one, and never gets the password.
   */
  private void account() {
    Line line = Requests.login(options.text("user"), List.of(NATIVE, "unix_socket")).raw('\n');
    talk(
        line,
        1,
        reply -> {
          if (reply.code() != 0) {
            refused = ServerError.of(reply.code(), reply.text());
            noAccount = reply.text().equals("authtype");
          } else if (reply.columns() == 2 && reply.count() == 2) {
            challenge = reply;
          }
        });
    if (noAccount) {
      withoutAccount();
      return;
    }
    if (refused == null && challenge == null) { // The account is that of the process.
      authenticate(null);
      return;
    }
    AuthenticationError failed = null;
    try {
      answer();
      return;
    } catch (AuthenticationError e) {
      failed = e;
    }
    if (connection.broken || !connection.secure || options.text("password").isEmpty()) {
      throw failed;
    }
    authenticate(Requests.password(options.text("user"), options.text("password")));
  }

  private void answer() {
    if (refused != null) {
      throw refused;
    }
    if (!challenge.string(0).equals(NATIVE)) {
      throw new AuthenticationError(3, "authtype", 0);
    }
    byte[] password = options.text("password").getBytes(StandardCharsets.UTF_8);
    byte[] response = Requests.nativePassword(password, bytes(challenge.string(1)));
    authenticate(Requests.answer(response));
  }

  private static byte[] bytes(String hex) {
    if (!hex.matches("([0-9a-fA-F]{2})*")) {
      throw new ProtocolError("a challenge that is not in hexadecimal");
    }
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }
}
