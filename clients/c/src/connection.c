/* One connection: its login, its open indexes, and a batch that is carried out on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

void hs_conn_close(hs_conn *conn) {
  if (conn == NULL) return;
  SSL_free(conn->ssl);
  if (conn->fd >= 0) (void)close(conn->fd);
  hs_buf_free(&conn->out);
  free(conn);
}

/* Sends what is in out, and reads `more` answers behind those that are there. */
static int talk(hs_conn *conn, hs_reader *reader, size_t more, double deadline, hs_error *error) {
  if (conn->out.failed) return hs_fail(error, HS_CONNECTION, "no memory");
  conn->sent = 0;
  int bad = hs_exchange(conn, reader, reader->answer_count + more, deadline, error);
  conn->out.len = 0;
  return bad;
}

/* The error of the reader's last answer, or 0. */
static int refused(const hs_reader *reader, size_t answer, hs_error *error) {
  const hs_answer *a = &reader->answers[answer];
  if (a->code == 0) return 0;
  hs_server_error(error, a->code, hs_reader_value(reader, a->first));
  return -1;
}

static void ask_hello(hs_conn *conn) {
  hs_buf_text(&conn->out, "H\t2\t");
  hs_buf_text(&conn->out, conn->options->text[OPT_NAME]);
  hs_buf_text(&conn->out, "\n");
}

static void keep_features(hs_conn *conn, const hs_reader *reader, size_t answer) {
  const hs_answer *a = &reader->answers[answer];
  if (a->code != 0 || a->columns != 6 || a->count != 6) return;
  hs_value features = hs_reader_value(reader, a->first + 4);
  if (features.data == NULL || features.len >= sizeof conn->features) return;
  memcpy(conn->features, features.data, features.len);
  conn->features[features.len] = 0;
}

static int nibble(char c) {
  const char *digits = "0123456789abcdef", *at = c != 0 ? strchr(digits, c | 32) : NULL;
  return c >= '0' && c <= '9' ? c - '0' : at != NULL && c > '9' ? (int)(at - digits) : -1;
}

static int answer_native(hs_conn *conn, hs_value hex, const char *password) {
  unsigned char challenge[128], answer[20];
  if (hex.len % 2 != 0 || hex.len / 2 > sizeof challenge) return -1;
  for (size_t i = 0; i < hex.len; i += 2) {
    int high = nibble(hex.data[i]), low = nibble(hex.data[i + 1]);
    if (high < 0 || low < 0) return -1;
    challenge[i / 2] = (unsigned char)(high * 16 + low);
  }
  hs_buf_text(&conn->out, "A\t3\t");
  if (*password != 0) {
    if (hs_native_password(password, challenge, hex.len / 2, answer) != 0) return -1;
    for (size_t i = 0; i < sizeof answer; i++) {
      const char pair[] = {"0123456789abcdef"[answer[i] >> 4], "0123456789abcdef"[answer[i] & 15]};
      hs_buf_add(&conn->out, pair, 2);
    }
  }
  hs_buf_text(&conn->out, "\n");
  return 0;
}

/* Behind the answer to A 2. An account of another method has a challenge that nothing answers. */
static int log_in(hs_conn *conn, hs_reader *r, size_t asked, double deadline, hs_error *error) {
  const char *password = conn->options->text[OPT_PASSWORD];
  const hs_answer *a = &r->answers[asked];
  int secure = conn->ssl != NULL || conn->place->path != NULL;
  if (password == NULL) password = "";
  if (refused(r, asked, error) != 0) return -1;
  if (a->columns != 2 || a->count != 2) return 0;
  hs_value method = hs_reader_value(r, a->first);
  int native = method.len == 21 && memcmp(method.data, "mysql_native_password", 21) == 0;
  if (native) {
    if (answer_native(conn, hs_reader_value(r, a->first + 1), password) != 0)
      return hs_fail(error, HS_PROTOCOL, "the challenge cannot be answered");
    ask_hello(conn);
    if (talk(conn, r, 2, deadline, error) != 0) return -1;
    if (refused(r, r->answer_count - 2, error) == 0) return 0;
    if (!secure || strcmp(error->text, "unauth") != 0) return -1;
  } else if (!secure) {
    return hs_fail(error, HS_AUTHENTICATION, "the account's method needs TLS or a Unix socket");
  }
  hs_buf_text(&conn->out, "A\t4");
  hs_buf_value(&conn->out, hs_text(conn->options->text[OPT_USER]));
  hs_buf_value(&conn->out, hs_text(password));
  hs_buf_text(&conn->out, "\n");
  ask_hello(conn);
  if (talk(conn, r, 2, deadline, error) != 0) return -1;
  return refused(r, r->answer_count - 2, error);
}

static int greet(hs_conn *conn, hs_reader *r, double deadline, hs_error *error) {
  size_t more = 1, secret = conn->place->secret != NULL;
  const char *user = conn->options->text[OPT_USER];
  if (secret) {
    hs_buf_text(&conn->out, "A\t1");
    hs_buf_value(&conn->out, hs_text(conn->place->secret));
    hs_buf_text(&conn->out, "\n");
    more++;
  }
  if (user != NULL) {
    hs_buf_text(&conn->out, "A\t2");
    hs_buf_value(&conn->out, hs_text(user));
    hs_buf_text(&conn->out, "\tmysql_native_password,unix_socket\n");
    more++;
  }
  ask_hello(conn);
  if (talk(conn, r, more, deadline, error) != 0) return -1;
  if (secret && refused(r, 0, error) != 0) return -1;
  if (user != NULL && log_in(conn, r, secret, deadline, error) != 0) return -1;
  size_t hello = r->answer_count - 1;
  hs_error why = {0};
  if (refused(r, hello, &why) != 0 && strcmp(why.text, "cmd") != 0) return refused(r, hello, error);
  keep_features(conn, r, hello);
  return 0;
}

hs_conn *hs_conn_open(hs_client *client, hs_place *place, hs_error *error) {
  double deadline = hs_now() + client->options.connect_timeout;
  hs_reader reader = {0};
  hs_error unused;
  hs_conn *conn = calloc(1, sizeof *conn);
  if (error == NULL) error = &unused;
  if (conn == NULL) {
    (void)hs_fail(error, HS_CONNECTION, "no memory");
    return NULL;
  }
  conn->options = &client->options;
  conn->place = place;
  conn->fd = hs_socket_connect(place, deadline, error);
  int bad = conn->fd < 0;
  if (!bad && client->tls != NULL) bad = hs_tls_start(client, conn, deadline, error);
  if (!bad) bad = greet(conn, &reader, deadline, error);
  hs_reader_free(&reader);
  if (!bad) return conn;
  error->sent = 0; /* no request was */
  hs_conn_close(conn);
  return NULL;
}

static hs_slot *find_slot(hs_conn *conn, const hs_spec *spec) {
  for (size_t i = 0; i < conn->slot_count; i++)
    if (conn->slots[i].spec == spec) return &conn->slots[i];
  return NULL;
}

static void add_open(hs_conn *conn, const hs_slot *slot, const hs_spec *spec) {
  hs_buf_text(&conn->out, "P\t");
  hs_buf_number(&conn->out, slot->id);
  hs_buf_text(&conn->out, spec->open);
}

/* A request whose P was refused has the P's error; such an index is not open. */
static void settle(hs_conn *conn, const hs_batch *batch, hs_reply *reply, size_t from, size_t to) {
  const hs_reader *r = &reply->reader;
  for (size_t i = from; i < to; i++) {
    const hs_slot *slot = find_slot(conn, batch->items[i].spec);
    if (slot != NULL && slot->pending != 0 && r->answers[slot->pending - 1].code != 0)
      reply->map[i] = slot->pending - 1;
  }
  for (size_t i = conn->slot_count; i-- > 0;) {
    hs_slot *slot = &conn->slots[i];
    int failed = slot->pending != 0 && r->answers[slot->pending - 1].code != 0;
    slot->pending = 0;
    if (failed) *slot = conn->slots[--conn->slot_count];
  }
}

typedef struct run {
  hs_conn *conn;
  const hs_batch *batch;
  hs_reply *reply;
  double deadline;
  hs_error *error;
  size_t from, wanted; /* the first request that is not sent; answers at the end of this piece */
  int opened;
} run;

static int flush(run *run, size_t to) {
  const hs_reader *r = &run->reply->reader;
  if (run->wanted > r->answer_count &&
      talk(run->conn, &run->reply->reader, run->wanted - r->answer_count, run->deadline,
           run->error) != 0)
    return -1;
  if (run->opened) settle(run->conn, run->batch, run->reply, run->from, to);
  run->from = to;
  run->opened = 0;
  return 0;
}

/* Takes the place of the slot that was used longest ago. When its P is refused the old index is
   still open under its id, so nothing may be sent behind it before that is known. */
static int replace(run *run, size_t item, hs_slot **out) {
  const hs_spec *spec = run->batch->items[item].spec;
  hs_slot *oldest = run->conn->slots;
  if (flush(run, item) != 0) return -1;
  *out = NULL;
  if (run->conn->slot_count < HS_OPEN_INDEXES) return 0;
  for (size_t i = 1; i < run->conn->slot_count; i++)
    if (run->conn->slots[i].used < oldest->used) oldest = &run->conn->slots[i];
  add_open(run->conn, oldest, spec);
  run->wanted++;
  if (flush(run, item) != 0) return -1;
  if (run->reply->reader.answers[run->wanted - 1].code != 0) {
    run->reply->map[item] = run->wanted - 1;
    run->from = item + 1;
    return 1;
  }
  oldest->spec = spec;
  *out = oldest;
  return 0;
}

/* 1: the request has its answer already. */
static int prepare(run *run, size_t item) {
  hs_conn *conn = run->conn;
  const hs_spec *spec = run->batch->items[item].spec;
  hs_slot *slot = find_slot(conn, spec);
  if (slot == NULL && conn->slot_count == HS_OPEN_INDEXES) {
    int done = replace(run, item, &slot);
    if (done != 0) return done;
  }
  if (slot == NULL) {
    slot = &conn->slots[conn->slot_count++];
    *slot = (hs_slot){spec, conn->next_id++, 0, ++run->wanted};
    add_open(conn, slot, spec);
    run->opened = 1;
  }
  slot->used = ++conn->clock;
  hs_buf_number(&conn->out, slot->id);
  return 0;
}

int hs_conn_run(hs_conn *conn, const hs_batch *batch, hs_reply *reply, double deadline,
                hs_error *error) {
  run run = {conn, batch, reply, deadline, error, 0, 0, 0};
  hs_reader_clear(&reply->reader);
  reply->count = reply->selected = 0;
  conn->out.len = conn->sent = 0;
  if (batch->count > reply->map_cap) {
    size_t *map = realloc(reply->map, batch->count * sizeof *map);
    if (map == NULL) return hs_fail(error, HS_VALUE, "no memory for the reply");
    reply->map = map;
    reply->map_cap = batch->count;
  }
  for (size_t i = 0; i < batch->count; i++) {
    const hs_item *item = &batch->items[i];
    int done = item->spec != NULL ? prepare(&run, i) : 0;
    if (done < 0) return -1;
    if (done > 0) continue;
    hs_buf_add(&conn->out, batch->bytes.data + item->at, item->len);
    reply->map[i] = run.wanted++;
  }
  if (flush(&run, batch->count) != 0) return -1;
  reply->count = batch->count;
  return 0;
}
