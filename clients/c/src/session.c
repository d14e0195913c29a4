/* What has no table: transactions, GTIDs, describe, raw lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct hs_transaction {
  hs_client *client;
  hs_conn *conn; /* NULL when it broke */
  hs_reply *reply;
};

static int run_scratch(hs_client *client, hs_reply *reply, hs_error *error) {
  if (hs_run(client, &reply->scratch, reply, error) != 0) return -1;
  return hs_reply_select(reply, 0, error);
}

static int add_tokens(hs_batch *b, const char *command, const char *const *values, size_t count,
                      hs_error *error) {
  size_t at = b->bytes.len;
  hs_buf_text(&b->bytes, command);
  for (size_t i = 0; i < count; i++) hs_buf_value(&b->bytes, hs_text(values[i]));
  hs_buf_text(&b->bytes, "\n");
  return hs_batch_add(b, NULL, at, error);
}

int hs_transaction_run(hs_transaction *t, hs_batch *batch, hs_reply *reply, hs_error *error) {
  double timeout = t->client->options.timeout;
  hs_error why = {0};
  if (t->conn == NULL) return hs_fail(error, HS_TRANSACTION_LOST, "the connection broke");
  double begin = hs_now();
  int bad = hs_conn_run(t->conn, batch, reply, timeout > 0 ? begin + timeout : 0, &why);
  if (bad || reply->reader.line != reply->reader.bytes.len) {
    hs_release(t->client, t->conn, 1);
    t->conn = NULL;
  }
  if (t->client->hook != NULL)
    t->client->hook(t->client->hook_argument, "transaction", batch->table, hs_now() - begin,
                    bad ? &why : NULL);
  if (bad && error != NULL) *error = why;
  return bad;
}

static int step(hs_transaction *t, const char *command, const char *name, hs_error *error) {
  hs_batch *b = &t->reply->scratch;
  hs_batch_clear(b);
  if (add_tokens(b, command, &name, name != NULL, error) != 0) return -1;
  if (hs_transaction_run(t, b, t->reply, error) != 0) return -1;
  return hs_reply_select(t->reply, 0, error);
}

static int end(hs_transaction *t, int bad) {
  if (t->conn != NULL) hs_release(t->client, t->conn, bad);
  hs_reply_free(t->reply);
  free(t);
  return bad;
}

hs_transaction *hs_begin(hs_client *client, const char *isolation, int read_only, hs_error *error) {
  char line[16];
  hs_transaction *t = calloc(1, sizeof *t);
  hs_reply *reply = hs_reply_new();
  int bad = isolation != NULL && strcmp(isolation, "RU") != 0 && strcmp(isolation, "RC") != 0 &&
            strcmp(isolation, "RR") != 0 && strcmp(isolation, "SR") != 0;
  if (bad) (void)hs_fail(error, HS_VALUE, "isolation is none of RU, RC, RR, SR");
  if (t == NULL || reply == NULL) bad = hs_fail(error, HS_VALUE, "no memory");
  hs_place *place = &client->places[read_only ? 0 : 1];
  if (!bad && !read_only && client->places[0].path != NULL && place->path == NULL)
    bad = hs_fail(error, HS_CONFIGURATION, "changes need write_socket");
  if (bad) {
    hs_reply_free(reply);
    free(t);
    return NULL;
  }
  (void)snprintf(line, sizeof line, "T\tB%s%s%s", isolation != NULL ? "\t" : "",
                 isolation != NULL ? isolation : "", read_only ? "\tRO" : "");
  *t = (hs_transaction){client, NULL, reply};
  do {
    if (t->conn != NULL) hs_release(client, t->conn, 1);
    t->conn = hs_acquire(client, place, error);
  } while (t->conn != NULL && t->conn->idle_since != 0 && !hs_conn_alive(t->conn));
  if (t->conn != NULL && step(t, line, NULL, error) == 0) return t;
  (void)end(t, 1);
  return NULL;
}

int hs_savepoint(hs_transaction *t, const char *name, hs_error *error) {
  return step(t, "T\tS", name, error);
}

int hs_rollback_to(hs_transaction *t, const char *name, hs_error *error) {
  return step(t, "T\tU", name, error);
}

int hs_commit(hs_transaction *t, hs_error *error) {
  hs_client *client = t->client;
  int bad = step(t, "T\tC", NULL, error);
  if (!bad && client->options.read_your_writes && step(t, "G\tL", NULL, NULL) == 0) {
    hs_value gtid = hs_reply_value(t->reply, 0, 0);
    (void)pthread_mutex_lock(&client->mutex);
    if (gtid.len != 0 && gtid.len < sizeof client->gtid)
      (void)snprintf(client->gtid, sizeof client->gtid, "%.*s", (int)gtid.len, gtid.data);
    (void)pthread_mutex_unlock(&client->mutex);
  }
  return end(t, bad);
}

int hs_rollback(hs_transaction *t, hs_error *error) {
  return end(t, t->conn != NULL ? step(t, "T\tR", NULL, error) : 0);
}

int hs_last_gtid(hs_client *client, hs_reply *reply, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_line(&reply->scratch, "G\tL\n", error) != 0) return -1;
  /* The write connection that was used last is the first of the idle ones. */
  if (hs_run_at(client, &client->places[1], &reply->scratch, reply, error) != 0) return -1;
  return hs_reply_select(reply, 0, error);
}

int hs_wait_for_gtid(hs_client *client, const char *gtid, double seconds, int *applied,
                     hs_error *error) {
  if (!(seconds >= 0 && seconds <= 600))
    return hs_fail(error, HS_VALUE, "the seconds are not from 0 to 600");
  if (gtid == NULL || strpbrk(gtid, "\t\n\r") != NULL)
    return hs_fail(error, HS_VALUE, "the GTID is none");
  hs_reply *reply = hs_reply_new();
  if (reply == NULL) return hs_fail(error, HS_VALUE, "no memory");
  hs_batch *b = &reply->scratch;
  hs_buf_text(&b->bytes, "G\tW\t");
  hs_buf_text(&b->bytes, gtid);
  hs_buf_text(&b->bytes, "\t");
  hs_buf_number(&b->bytes, (uint64_t)(seconds * 1000));
  hs_buf_text(&b->bytes, "\n");
  int bad = hs_batch_add(b, NULL, 0, error);
  if (!bad) bad = run_scratch(client, reply, error);
  if (!bad) {
    hs_value one = hs_reply_value(reply, 0, 0);
    *applied = one.len == 1 && *one.data == '1';
  }
  hs_reply_free(reply);
  return bad;
}

int hs_describe(hs_client *client, const char *database, const char *table, int indexes,
                hs_reply *reply, hs_error *error) {
  const char *const names[] = {database, table};
  size_t count = database == NULL ? 0 : table == NULL ? 1 : 2;
  hs_batch *b = &reply->scratch;
  hs_batch_clear(b);
  if (indexes && count != 2) return hs_fail(error, HS_VALUE, "indexes are those of a table");
  if (add_tokens(b, "D", names, count, error) != 0) return -1;
  if (indexes) { /* before the LF */
    b->bytes.len--;
    hs_buf_text(&b->bytes, "\tI\n");
    b->items[0].len = b->bytes.len;
  }
  if (run_scratch(client, reply, error) == 0) return 0;
  if (error != NULL && strcmp(error->text, "cmd") == 0)
    return hs_fail(error, HS_UNSUPPORTED, "the server does not describe its tables");
  return -1;
}

int hs_raw(hs_client *client, int write_port, const hs_value *tokens, size_t count, hs_reply *reply,
           hs_error *error) {
  hs_batch *b = &reply->scratch;
  hs_batch_clear(b);
  for (size_t i = 0; i < count; i++) {
    if (i != 0) hs_buf_add(&b->bytes, "\t", 1);
    if (tokens[i].data == NULL) hs_buf_add(&b->bytes, "", 1);
    for (size_t at = 0; at < tokens[i].len; at++)
      if (tokens[i].data[at] == '\t' || tokens[i].data[at] == '\n')
        return hs_fail(error, HS_VALUE, "a token has a TAB or LF");
    hs_buf_add(&b->bytes, tokens[i].data, tokens[i].len);
  }
  hs_buf_text(&b->bytes, "\n");
  b->once = 1;
  if (hs_batch_add(b, NULL, 0, error) != 0) return -1;
  if (hs_run_at(client, &client->places[write_port != 0], b, reply, error) != 0) return -1;
  return hs_reply_select(reply, 0, error);
}

int hs_features(hs_client *client, char *buffer, size_t size, hs_error *error) {
  hs_conn *conn = hs_acquire(client, &client->places[0], error);
  if (conn == NULL) return -1;
  (void)snprintf(buffer, size, "%s", conn->features);
  hs_release(client, conn, 0);
  return 0;
}

int hs_ping(hs_client *client, hs_error *error) {
  hs_reply *reply = hs_reply_new();
  if (reply == NULL) return hs_fail(error, HS_VALUE, "no memory");
  hs_error why = {0};
  hs_buf_text(&reply->scratch.bytes, "H\t2\t"); /* again, as at the login */
  hs_buf_text(&reply->scratch.bytes, client->options.text[OPT_NAME]);
  hs_buf_text(&reply->scratch.bytes, "\n");
  int bad = hs_batch_add(&reply->scratch, NULL, 0, error);
  if (!bad) bad = hs_run(client, &reply->scratch, reply, error);
  if (!bad && hs_reply_select(reply, 0, &why) != 0 && strcmp(why.text, "cmd") != 0) {
    bad = -1;
    if (error != NULL) *error = why;
  }
  hs_reply_free(reply);
  return bad;
}
