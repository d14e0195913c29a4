package org.handlersocket2;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a server is, and how to talk to it. Options do not change; {@link #builder} makes them. The
 * names, the defaults and the meaning are those of the table in the contract of all clients.
 */
public final class Options {
  final Map<String, Object> all;
  final RequestHook hook;

  private Options(Map<String, Object> all, RequestHook hook) {
    this.all = all;
    this.hook = hook;
  }

  /** Returns a builder with what the environment and the option file say. */
  public static Builder builder() {
    return builder("");
  }

  /**
   * Returns a builder with the options of a URL. What it does not name comes from HS_PASSWORD and
   * HS_SECRET, the option file, or is as by default. The empty URL is that of HS_URL.
   *
   * @throws ConfigurationError when an option is wrong
   */
  public static Builder builder(String url) {
    return new Builder(Sources.read(url, System.getenv()));
  }

  static Options of(Map<String, String> given) {
    return new Builder(given).build();
  }

  String text(String name) {
    return (String) all.get(name);
  }

  int number(String name) {
    return ((Long) all.get(name)).intValue();
  }

  /** Nanoseconds; one at least, as zero means none. */
  long nanos(String name) {
    return (long) Math.ceil((Double) all.get(name) * 1e9);
  }

  boolean on(String name) {
    return (Boolean) all.get(name);
  }

  @SuppressWarnings("unchecked")
  List<String> replicas() {
    return (List<String>) all.get("replicas");
  }

  /** The timeout in nanoseconds of requests for which the server may wait longer; 0: none. */
  long patience(long extraNanos) {
    long timeout = nanos("timeout");
    return timeout == 0 ? 0 : timeout + extraNanos;
  }

  /** Sets options one after the other. It is for one thread. */
  public static final class Builder {
    private final Map<String, Object> all = new HashMap<>();
    private RequestHook hook;

    private Builder(Map<String, String> given) {
      for (Setting setting : Setting.values()) {
        all.put(setting.option(), setting.fallback());
      }
      given.forEach(this::set);
    }

    /**
     * Sets an option by its name, from text as it stands in a URL.
     *
     * @throws ConfigurationError when there is no such option, or the value is none of those
     *     allowed
     */
    public Builder set(String option, String value) {
      all.put(option, Setting.of(option).parse(value));
      return this;
    }

    /** Sets the host. */
    public Builder host(String host) {
      return set("host", host);
    }

    /** Sets the read port. */
    public Builder port(int port) {
      return set("port", Integer.toString(port));
    }

    /** Sets the write port. */
    public Builder writePort(int port) {
      return set("write_port", Integer.toString(port));
    }

    /** Sets the Unix sockets, in the place of host and ports. */
    public Builder sockets(String read, String write) {
      return set("socket", read).set("write_socket", write);
    }

    /** Sets the database of tables that are named without one. */
    public Builder database(String database) {
      return set("database", database);
    }

    /** Sets the account. */
    public Builder account(String user, String password) {
      return set("user", user).set("password", password);
    }

    /** Sets the secret of the ports. */
    public Builder secret(String secret) {
      return set("secret", secret);
    }

    /** Sets off, require or verify. */
    public Builder tls(String tls) {
      return set("tls", tls);
    }

    /** Sets the time for connection, TLS and login together; zero: none. */
    public Builder connectTimeout(Duration timeout) {
      return set("connect_timeout", seconds(timeout));
    }

    /** Sets the time for a request, or for a whole pipeline; zero: none. */
    public Builder timeout(Duration timeout) {
      return set("timeout", seconds(timeout));
    }

    /** Sets how many connections there are to each place, at most. */
    public Builder poolSize(int size) {
      return set("pool_size", Integer.toString(size));
    }

    /** Sets how often a request that is safe to repeat is sent again. */
    public Builder retries(int retries) {
      return set("retries", Integer.toString(retries));
    }

    /** Sets the read ports, as host:port, that take the reads in turns. */
    public Builder replicas(List<String> addresses) {
      return set("replicas", String.join(",", addresses));
    }

    /** Makes a read on a replica wait for the client's own last change. */
    public Builder readYourWrites(boolean wait) {
      return set("read_your_writes", wait ? "on" : "off");
    }

    /**
     * Sets what is told of each call. What it throws is logged, and changes nothing of the call.
     */
    public Builder onRequest(RequestHook told) {
      hook = told;
      return this;
    }

    /**
     * Returns the options.
     *
     * @throws ConfigurationError when they do not fit together
     */
    public Options build() {
      if (all.get("tls_cert").equals("") != all.get("tls_key").equals("")) {
        throw new ConfigurationError("tls_key", "tls_cert and tls_key belong together");
      }
      return new Options(Map.copyOf(all), hook);
    }

    private static String seconds(Duration time) {
      BigDecimal whole = BigDecimal.valueOf(time.getSeconds());
      return whole.add(BigDecimal.valueOf(time.getNano(), 9)).toPlainString();
    }
  }
}
