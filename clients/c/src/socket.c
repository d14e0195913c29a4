#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

double hs_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int hs_wait(int fd, short events, double deadline, hs_error *error) {
  for (;;) {
    double left = deadline > 0 ? deadline - hs_now() : 3600;
    if (left <= 0) return hs_fail(error, HS_TIMEOUT, "it took too long");
    struct pollfd poll_fd = {fd, events, 0};
    int ready = poll(&poll_fd, 1, (int)ceil((left < 3600 ? left : 3600) * 1000));
    if (ready > 0) return 0;
    if (ready < 0 && errno != EINTR) return hs_fail_system(error, HS_CONNECTION, "poll", errno);
  }
}

static int connect_to(const struct sockaddr *address, socklen_t len, int family, double deadline,
                      hs_error *error) {
  int fd = socket(family, SOCK_STREAM, 0), yes = 1, problem = 0;
  socklen_t size = sizeof problem;
  if (fd < 0) return hs_fail_system(error, HS_CONNECTION, "socket", errno);
  (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  if (family != AF_UNIX) {
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  }
  int bad = connect(fd, address, len);
  if (bad != 0 && errno == EINPROGRESS) {
    bad = hs_wait(fd, POLLOUT, deadline, error);
    if (bad == 0 && (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0))
      bad = hs_fail_system(error, HS_CONNECTION, "connect", problem);
  } else if (bad != 0) {
    (void)hs_fail_system(error, HS_CONNECTION, "connect", errno);
  }
  if (bad == 0) return fd;
  (void)close(fd);
  return -1;
}

int hs_socket_connect(const hs_place *place, double deadline, hs_error *error) {
  if (place->path != NULL) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(place->path) >= sizeof address.sun_path)
      return hs_fail(error, HS_CONFIGURATION, "the path of the socket is too long");
    memcpy(address.sun_path, place->path, strlen(place->path) + 1);
    return connect_to((struct sockaddr *)&address, sizeof address, AF_UNIX, deadline, error);
  }
  struct addrinfo *list = NULL;
  if (hs_resolve(place->host, place->port, deadline, &list, error) != 0) return -1;
  int fd = -1, left = 0;
  for (const struct addrinfo *at = list; at != NULL; at = at->ai_next) left++;
  for (const struct addrinfo *at = list; at != NULL && fd < 0; at = at->ai_next, left--) {
    /* One address that is silent leaves time for the others. */
    double now = hs_now(), until = deadline > 0 ? now + (deadline - now) / left : 0;
    fd = connect_to(at->ai_addr, at->ai_addrlen, at->ai_family, until, error);
  }
  freeaddrinfo(list);
  return fd;
}

void hs_socket_block(int fd) { (void)fcntl(fd, F_SETFL, 0); }

/* >0: bytes; 0: the end; -1: would block, and *events is what to wait for; -2: broken. */
static ssize_t tls_result(const hs_conn *conn, int result, short *events) {
  if (result > 0) return result;
  switch (SSL_get_error(conn->ssl, result)) {
    case SSL_ERROR_WANT_READ:
      *events = POLLIN;
      return -1;
    case SSL_ERROR_WANT_WRITE:
      *events = POLLOUT;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      return -2;
  }
}

static ssize_t plain_result(ssize_t result, short direction, short *events) {
  if (result >= 0) return result;
  *events = direction;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : -2;
}

static int part(size_t len) { return (int)(len < 1 << 30 ? len : 1 << 30); }

static ssize_t give(const hs_conn *conn, short *events) {
  const char *data = conn->out.data + conn->sent;
  size_t len = conn->out.len - conn->sent;
  if (conn->ssl != NULL) {
    ERR_clear_error();
    return tls_result(conn, SSL_write(conn->ssl, data, part(len)), events);
  }
  return plain_result(send(conn->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT), POLLOUT, events);
}

static ssize_t take(const hs_conn *conn, hs_buf *into, int waits, short *events) {
  char *data = into->data + into->len;
  size_t len = into->cap - into->len;
  if (conn->ssl != NULL) {
    ERR_clear_error();
    return tls_result(conn, SSL_read(conn->ssl, data, part(len)), events);
  }
  return plain_result(recv(conn->fd, data, len, waits ? 0 : MSG_DONTWAIT), POLLIN, events);
}

static int broken(const hs_conn *conn, hs_error *error, const char *why) {
  (void)hs_fail(error, HS_CONNECTION, "%s", why);
  if (error != NULL) error->sent = conn->sent != 0;
  return -1;
}

/* Whether the last answer is one behind which the server ends the connection, or may. */
static int says_why(const hs_reader *r) {
  static const char *const reasons[] = {"too_many_connections", "insecure_transport", "max_memory",
                                        "request_too_long", "shutdown"};
  if (r->answer_count == 0 || r->answers[r->answer_count - 1].code == 0) return 0;
  hs_value text = hs_reader_value(r, r->answers[r->answer_count - 1].first);
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (hs_is(text, reasons[i])) return 1;
  return 0;
}

static int ended(const hs_conn *conn, const hs_reader *r, hs_error *error) {
  if (says_why(r)) {
    const hs_answer *last = &r->answers[r->answer_count - 1];
    hs_server_error(error, last->code, hs_reader_value(r, last->first));
    if (error != NULL) error->sent = 1;
    return -1;
  }
  return broken(conn, error, "the server has ended the connection");
}

/* Sends what the socket takes. What the server said before it closed is still to be read. */
static void give_some(hs_conn *conn, short *events) {
  ssize_t n = give(conn, events);
  if (n > 0) conn->sent += (size_t)n;
  if (n == -2 || n == 0) conn->out.len = conn->sent;
  if (conn->sent < conn->out.len && *events == 0) *events = POLLOUT;
}

/* Says how long a read may wait: the kernel keeps it, so that most requests need no call for it. It may
   be longer by a hundredth. */
static int set_patience(hs_conn *conn, double deadline, hs_error *error) {
  double left = deadline > 0 ? deadline - hs_now() : 0;
  if (deadline > 0 && left <= 0) return hs_fail(error, HS_TIMEOUT, "it took too long");
  if (left <= conn->patience && left >= 0.99 * conn->patience) return 0;
  double patience = left * 1.005 < 1e9 ? left * 1.005 : 1e9;
  struct timeval time = {(time_t)patience, (suseconds_t)(1e6 * (patience - floor(patience)))};
  if (left > 0 && patience < 0.001) time.tv_usec = 1000; /* 0 would be for ever */
  if (setsockopt(conn->fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) != 0)
    return hs_fail_system(error, HS_CONNECTION, "setsockopt", errno);
  conn->patience = patience;
  return 0;
}

/* Reads and writes in turns, so that no pipeline is so long that both sides wait for each other. */
int hs_exchange(hs_conn *conn, hs_reader *r, size_t wanted, double deadline, hs_error *error) {
  if (conn->ends) return broken(conn, error, "the server has ended the connection");
  int look = conn->ssl != NULL; /* TLS may have bytes that poll does not see */
  for (;;) {
    short read_events = POLLIN, write_events = 0;
    if (conn->sent < conn->out.len) give_some(conn, &write_events);
    /* A plain socket waits by itself when there is only to be read. */
    int waits = conn->ssl == NULL && conn->sent == conn->out.len;
    if (waits && set_patience(conn, deadline, error) != 0) {
      if (error != NULL) error->sent = conn->sent != 0;
      return -1;
    }
    if (look || waits) {
      if (hs_buf_reserve(&r->bytes, 16384) != 0) return broken(conn, error, "there is no memory");
      ssize_t n = take(conn, &r->bytes, waits, &read_events);
      if (n == 0 || n == -2) return ended(conn, r, error);
      if (n > 0 && hs_reader_took(r, (size_t)n, wanted, error) != 0) {
        if (error != NULL) error->sent = 1;
        return -1;
      }
      if (r->answer_count >= wanted && conn->sent == conn->out.len) {
        conn->ends = says_why(r);
        return 0;
      }
      if (n > 0 || waits) continue;
    }
    look = 1;
    if (hs_wait(conn->fd, (short)(read_events | write_events), deadline, error) != 0) {
      if (error != NULL) error->sent = conn->sent != 0;
      return -1;
    }
  }
}

int hs_conn_alive(hs_conn *conn) {
  char byte;
  short events = 0;
  ERR_clear_error();
  ssize_t n = conn->ssl != NULL
                  ? tls_result(conn, SSL_peek(conn->ssl, &byte, 1), &events)
                  : plain_result(recv(conn->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT), 0, &events);
  return n == -1;
}
