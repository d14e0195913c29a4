/* What has no table: pings, features, describe, raw lines, waiting for GTIDs. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Runs the line of the scratch batch. */
static int run_line(hs_client *client, hs_reply *reply, const char *kind, unsigned needs,
                    hs_expect expect, hs_error *error) {
  hs_batch *b = &reply->scratch;
  if (hs_batch_add(b, NULL, kind, 0, error) != 0) return -1;
  b->items[0].needs = needs;
  b->items[0].expect = expect;
  if (hs_run(client, b, reply, error) != 0) return -1;
  return hs_reply_select(reply, 0, error);
}

int hs_wait_for_gtid(hs_client *client, const char *gtid, double seconds, int *applied,
                     hs_error *error) {
  if (!(seconds >= 0 && seconds <= 600))
    return hs_fail(error, HS_VALUE, "the seconds are not from 0 to 600");
  hs_reply *reply = hs_reply_new();
  if (reply == NULL) return hs_no_memory(error);
  int bad = hs_put_wait_gtid(&reply->scratch.bytes, hs_text(gtid != NULL ? gtid : ""),
                             (int64_t)(seconds * 1000), error);
  reply->scratch.patience = seconds;
  const hs_expect number = {HS_EXPECT_NUMBER, 1, 1};
  if (!bad) bad = run_line(client, reply, "wait_for_gtid", HS_HAS_GTID, number, error);
  if (!bad) *applied = hs_is(hs_reply_value(reply, 0, 0), "1");
  hs_reply_free(reply);
  return bad;
}

int hs_describe(hs_client *client, const char *database, const char *table, int indexes,
                hs_reply *reply, hs_error *error) {
  hs_value names[] = {hs_text(database != NULL ? database : ""),
                      hs_text(table != NULL ? table : "")};
  hs_batch_clear(&reply->scratch);
  if (hs_put_describe(&reply->scratch.bytes, names[0], names[1], indexes, error) != 0) return -1;
  size_t columns = indexes ? 6 : names[1].len != 0 ? 8 : names[0].len != 0 ? 2 : 1;
  return run_line(client, reply, "describe", HS_HAS_DESCRIBE, hs_expect_rows(columns, 0), error);
}

static int put_tokens(hs_buf *out, const hs_value *tokens, size_t count, hs_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (i != 0) hs_buf_add(out, "\t", 1);
    if (tokens[i].data == NULL) {
      hs_buf_add(out, "", 1);
      continue;
    }
    for (size_t at = 0; at < tokens[i].len; at++)
      if (tokens[i].data[at] == '\t' || tokens[i].data[at] == '\n')
        return hs_fail(error, HS_VALUE, "a token has a TAB or LF");
    hs_buf_add(out, tokens[i].data, tokens[i].len);
  }
  hs_buf_add(out, "\n", 1);
  return 0;
}

int hs_raw(hs_client *client, int write_port, const hs_value *tokens, size_t count, hs_reply *reply,
           int *code, hs_error *error) {
  hs_batch *b = &reply->scratch;
  hs_batch_clear(b);
  if (put_tokens(&b->bytes, tokens, count, error) != 0) return -1;
  if (hs_batch_add(b, NULL, "raw", 0, error) != 0) return -1;
  b->write = write_port != 0;
  b->items[0].raw = 1;
  if (hs_run(client, b, reply, error) != 0) return -1;
  *code = reply->reader.answers[reply->results[0].answer].code;
  return 0;
}

int hs_features(hs_client *client, char *buffer, size_t size, hs_error *error) {
  double timeout = client->options.timeout;
  hs_conn *conn = hs_take(client, 0, timeout > 0 ? hs_now() + timeout : 0, error);
  if (conn == NULL) return -1;
  int len = snprintf(buffer, size, "%s", conn->features);
  hs_release(conn, 0);
  return len >= 0 && (size_t)len < size ? 0 : hs_fail(error, HS_VALUE, "the buffer is too small");
}

int hs_ping(hs_client *client, hs_error *error) {
  const char *name = client->options.text[OPT_NAME];
  const hs_value hello[] = {hs_text("H"), hs_text("2"), hs_text(name)};
  hs_reply *reply = hs_reply_new();
  int code = 0;
  if (reply == NULL) return hs_no_memory(error);
  int bad = hs_raw(client, 0, hello, sizeof hello / sizeof *hello, reply, &code, error);
  hs_reply_free(reply);
  return bad;
}
