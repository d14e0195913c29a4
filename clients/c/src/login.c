/* How a connection begins: the secret or the account, and hello. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const char native[] = "mysql_native_password";
enum { NO_ACCOUNT = 1 };

/* Sends what is in out, and reads `more` answers behind those that are there. */
static int talk(hs_conn *conn, hs_reader *reader, size_t more, double deadline, hs_error *error) {
  if (conn->out.failed) return hs_no_memory(error);
  conn->sent = 0;
  reader->max_values = 8; /* H has six */
  int bad = hs_exchange(conn, reader, reader->answer_count + more, deadline, error);
  conn->out.len = 0;
  return bad;
}

static int refused(const hs_reader *reader, size_t answer, hs_error *error) {
  const hs_answer *a = &reader->answers[answer];
  if (a->code == 0) return 0;
  hs_server_error(error, a->code, hs_reader_value(reader, a->first));
  return -1;
}

static hs_value option(const hs_conn *conn, int number) {
  const char *text = conn->options->text[number];
  return hs_text(text != NULL ? text : "");
}

/* The original answers with cmd. One that wants a login first tells nothing yet. */
static int keep_features(hs_conn *conn, const hs_reader *reader, size_t answer, hs_error *error) {
  const hs_answer *a = &reader->answers[answer];
  if (a->code != 0 && hs_is(hs_reader_value(reader, a->first), "cmd")) {
    conn->knows = 1;
    return 0;
  }
  if (refused(reader, answer, error) != 0) return -1;
  if (a->columns != 6 || a->count != 6) return 0;
  hs_value features = hs_reader_value(reader, a->first + 4);
  if (features.data == NULL || features.len >= sizeof conn->features) return 0;
  memcpy(conn->features, features.data, features.len);
  conn->features[features.len] = 0;
  conn->has = hs_features_of(conn->features);
  conn->knows = 1;
  return 0;
}

/* What is in out is answered with success, and H behind it with the features. */
static int authenticate(hs_conn *conn, hs_reader *r, double deadline, hs_error *error) {
  size_t first = r->answer_count, more = conn->out.len != 0;
  if (hs_put_hello(&conn->out, 2, option(conn, OPT_NAME), error) != 0) return -1;
  if (talk(conn, r, more + 1, deadline, error) != 0) return -1;
  if (more && refused(r, first, error) != 0) return -1;
  if (more && r->answers[first].columns != 1)
    return hs_fail(error, HS_PROTOCOL, "a second challenge came");
  return keep_features(conn, r, first + more, error);
}

static int answer_native(hs_conn *conn, hs_value hex, hs_error *error) {
  unsigned char challenge[128], answer[20];
  hs_value password = option(conn, OPT_PASSWORD);
  long len = hs_from_hex(hex, challenge, sizeof challenge);
  size_t size = password.len != 0 ? sizeof answer : 0;
  if (len < 0 || (size != 0 && hs_native_password(password, challenge, (size_t)len, answer) != 0))
    return hs_fail(error, HS_PROTOCOL, "the challenge cannot be answered");
  hs_put_answer(&conn->out, answer, size);
  return 0;
}

/* By the secret, if there is one. */
static int without_account(hs_conn *conn, hs_reader *r, double deadline, hs_error *error) {
  const char *secret = conn->place->secret;
  if (secret != NULL && *secret != 0) hs_put_secret(&conn->out, hs_text(secret));
  return authenticate(conn, r, deadline, error);
}

/* By the method that the server names. NO_ACCOUNT: the port asks for none. */
static int log_in(hs_conn *conn, hs_reader *r, double deadline, hs_error *error) {
  hs_put_login(&conn->out, option(conn, OPT_USER), "mysql_native_password,unix_socket");
  if (talk(conn, r, 1, deadline, error) != 0) return -1;
  const hs_answer *a = r->answers;
  if (refused(r, 0, error) != 0)
    return hs_is(hs_reader_value(r, a->first), "authtype") ? NO_ACCOUNT : -1;
  if (a->columns != 2 || a->count != 2) return authenticate(conn, r, deadline, error);
  if (!hs_is(hs_reader_value(r, a->first), native)) {
    hs_server_error(error, 3, hs_text("authtype"));
    return -1;
  }
  if (answer_native(conn, hs_reader_value(r, a->first + 1), error) != 0) return -1;
  return authenticate(conn, r, deadline, error);
}

/* An account of another method takes the password itself, where nobody but the server sees it.
   A port that asks for no account never gets it. */
static int log_in_or_send(hs_conn *conn, hs_reader *r, double deadline, hs_error *error) {
  int secure = conn->options->verify || conn->place->path != NULL;
  int bad = log_in(conn, r, deadline, error);
  if (bad == 0) return 0;
  if (bad == NO_ACCOUNT) return without_account(conn, r, deadline, error);
  if (error->kind != HS_AUTHENTICATION || !secure || option(conn, OPT_PASSWORD).len == 0) return -1;
  hs_put_password(&conn->out, option(conn, OPT_USER), option(conn, OPT_PASSWORD));
  return authenticate(conn, r, deadline, error);
}

static int greet(hs_conn *conn, double deadline, hs_error *error) {
  hs_reader reader = {0};
  int bad;
  if (option(conn, OPT_USER).len != 0 || option(conn, OPT_PASSWORD).len != 0) {
    bad = log_in_or_send(conn, &reader, deadline, error);
  } else {
    bad = without_account(conn, &reader, deadline, error);
  }
  hs_reader_free(&reader);
  return bad;
}

static void tell_place(const hs_place *place, hs_error *error) {
  if (error->kind != HS_CONNECTION && error->kind != HS_TIMEOUT && error->kind != HS_PROTOCOL)
    return;
  const char *host = place->path != NULL ? place->path : place->host;
  const char *port = place->path != NULL ? NULL : place->port;
  char why[sizeof error->text];
  memcpy(why, error->text, sizeof why);
  (void)snprintf(error->text, sizeof error->text, "no connection to %.200s%s%.10s: %.280s", host,
                 port != NULL ? ":" : "", port != NULL ? port : "", why);
}

hs_conn *hs_conn_open(hs_client *client, hs_place *place, hs_error *error) {
  double timeout = client->options.connect_timeout, deadline = timeout > 0 ? hs_now() + timeout : 0;
  hs_error unused;
  hs_conn *conn = calloc(1, sizeof *conn);
  if (error == NULL) error = &unused;
  if (conn == NULL) {
    (void)hs_no_memory(error);
    return NULL;
  }
  conn->options = &client->options;
  conn->place = place;
  conn->fd = hs_socket_connect(place, deadline, error);
  int bad = conn->fd < 0;
  if (!bad && client->tls != NULL) bad = hs_tls_start(client, conn, deadline, error);
  if (!bad && conn->ssl == NULL) hs_socket_block(conn->fd);
  if (!bad) bad = greet(conn, deadline, error);
  if (!bad) return conn;
  error->sent = 0; /* no request was */
  tell_place(place, error);
  hs_conn_close(conn);
  return NULL;
}
