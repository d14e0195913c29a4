/* Transactions: a connection of their own. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* For the thread that holds the mutex. */
static int run(hs_transaction *t, hs_batch *batch, hs_reply *reply, hs_error *error) {
  double timeout = t->client->options.timeout;
  hs_error why = {0};
  reply->count = reply->selected = 0;
  if (batch->count == 0) return 0;
  if (t->conn == NULL) return hs_fail(error, HS_CONNECTION, "the transaction's connection broke");
  double begin = hs_now();
  int bad =
      hs_conn_run(t->conn, t->client, batch, reply, timeout > 0 ? begin + timeout : 0, 0, &why);
  t->changed |= batch->write;
  if (bad || reply->reader.line != reply->reader.bytes.len) {
    hs_release(t->conn, 1);
    t->conn = NULL;
  }
  hs_forget_missing(reply);
  if (t->client->hook != NULL) hs_tell_hook(t->client, batch, reply, begin, bad ? &why : NULL);
  if (bad && error != NULL) *error = why;
  return bad;
}

int hs_transaction_run(hs_transaction *t, hs_batch *batch, hs_reply *reply, hs_error *error) {
  (void)pthread_mutex_lock(&t->mutex);
  int bad = run(t, batch, reply, error);
  (void)pthread_mutex_unlock(&t->mutex);
  return bad;
}

/* The line is in the scratch batch. */
static int step(hs_transaction *t, const char *kind, hs_error *error) {
  hs_batch *b = &t->reply->scratch;
  if (hs_batch_add(b, NULL, kind, 0, error) != 0) return -1;
  b->items[0].needs = HS_HAS_TRANSACTION;
  if (*b->bytes.data == 'T') b->items[0].expect.kind = HS_EXPECT_NOTHING;
  if (run(t, b, t->reply, error) != 0) return -1;
  return hs_reply_select(t->reply, 0, error);
}

static int fixed_step(hs_transaction *t, const char *line, const char *kind, hs_error *error) {
  hs_batch_clear(&t->reply->scratch);
  hs_buf_text(&t->reply->scratch.bytes, line);
  return step(t, kind, error);
}

static int end(hs_transaction *t, int bad) {
  if (t->conn != NULL) hs_release(t->conn, bad);
  hs_reply_free(t->reply);
  (void)pthread_mutex_destroy(&t->mutex);
  free(t);
  return bad;
}

/* Nothing is changed before the transaction has begun, so it is begun again where that broke. */
static int begin(hs_transaction *t, int read_only, hs_error *error) {
  hs_client *client = t->client;
  hs_error why = {0};
  double timeout = client->options.timeout;
  hs_buf line = {0};
  hs_buf_add(&line, t->reply->scratch.bytes.data, t->reply->scratch.bytes.len + 1);
  int bad = line.failed ? hs_no_memory(error) : -1;
  for (unsigned attempt = 0; !line.failed; attempt++) {
    double deadline = timeout > 0 ? hs_now() + timeout : 0;
    t->conn = read_only ? hs_acquire(client, &client->places[0], 1, deadline, &why)
                        : hs_take(client, 1, deadline, &why);
    bad = t->conn == NULL || fixed_step(t, line.data, "begin", &why) != 0;
    if (!bad || why.kind != HS_CONNECTION || attempt >= client->options.retries) break;
    hs_pause(client, attempt);
  }
  hs_buf_free(&line);
  if (bad && error != NULL) *error = why;
  return bad ? -1 : 0;
}

hs_transaction *hs_begin(hs_client *client, const char *isolation, int read_only, hs_error *error) {
  hs_transaction *t = calloc(1, sizeof *t);
  hs_reply *reply = hs_reply_new();
  int bad = t == NULL || reply == NULL ? hs_no_memory(error) : 0;
  if (!bad) bad = hs_put_begin(&reply->scratch.bytes, isolation, read_only, error);
  if (!bad) { /* as a text */
    hs_buf_add(&reply->scratch.bytes, "", 1);
    reply->scratch.bytes.len--;
  }
  if (bad) {
    hs_reply_free(reply);
    free(t);
    return NULL;
  }
  *t = (hs_transaction){.client = client, .reply = reply};
  (void)pthread_mutex_init(&t->mutex, NULL);
  if (begin(t, read_only, error) == 0) return t;
  (void)end(t, 1); /* what a T B that failed leaves behind is gone with its connection */
  return NULL;
}

static int savepoint(hs_transaction *t, char what, const char *name, const char *kind,
                     hs_error *error) {
  (void)pthread_mutex_lock(&t->mutex);
  hs_batch_clear(&t->reply->scratch);
  int bad = hs_put_savepoint(&t->reply->scratch.bytes, what, hs_text(name), error);
  if (!bad) bad = step(t, kind, error);
  (void)pthread_mutex_unlock(&t->mutex);
  return bad;
}

int hs_savepoint(hs_transaction *t, const char *name, hs_error *error) {
  return savepoint(t, 'S', name, "savepoint", error);
}

int hs_rollback_to(hs_transaction *t, const char *name, hs_error *error) {
  return savepoint(t, 'U', name, "rollback_to", error);
}

int hs_commit(hs_transaction *t, hs_error *error) {
  (void)pthread_mutex_lock(&t->mutex);
  int bad = fixed_step(t, "T\tC\n", "commit", error);
  if (!bad && t->changed && t->client->options.read_your_writes &&
      fixed_step(t, "G\tL\n", "last_gtid", NULL) == 0) {
    hs_add_gtid(t->client, hs_reply_value(t->reply, 0, 0));
    if (t->conn != NULL) t->conn->changed = 0;
  }
  (void)pthread_mutex_unlock(&t->mutex);
  return end(t, bad);
}

int hs_rollback(hs_transaction *t, hs_error *error) {
  (void)pthread_mutex_lock(&t->mutex);
  int bad = fixed_step(t, "T\tR\n", "rollback", error);
  (void)pthread_mutex_unlock(&t->mutex);
  return end(t, bad);
}
