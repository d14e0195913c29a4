/* The GTIDs of the client's own last changes: MariaDB's (domain-server-number) one for each domain,
   MySQL's (uuid:number or uuid:tag:number) one for each uuid and tag. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

static int same_source(const hs_gtid *one, const hs_gtid *other) {
  return one->source_len == other->source_len &&
         memcmp(one->text, other->text, one->source_len) == 0;
}

static void add(hs_client *client, const hs_gtid *told) {
  hs_gtid *at = client->gtids, *end = at + client->gtid_count;
  while (at < end && !same_source(at, told)) at++;
  if (at == end && client->gtid_count == HS_DOMAINS) return;
  if (at == end)
    client->gtid_count++;
  else if (at->number >= told->number)
    return;
  *at = *told;
  client->gtid_version++;
}

static int read_gtid(hs_value told, hs_gtid *out) {
  if (told.data == NULL || told.len >= sizeof out->text) return -1;
  (void)snprintf(out->text, sizeof out->text, "%.*s", (int)told.len, told.data);
  out->len = told.len;
  if (strspn(out->text, "0123456789abcdefghijklmnopqrstuvwxyz_:-") != told.len) return -1;
  const char *colon = strrchr(out->text, ':'), *dash = strchr(out->text, '-');
  if (dash == NULL) return -1;
  const char *number = (colon != NULL ? colon : strrchr(out->text, '-')) + 1;
  out->source_len = (size_t)((colon != NULL ? colon : dash) - out->text);
  return hs_value_uint64(hs_text(number), &out->number);
}

void hs_add_gtid(hs_client *client, hs_value told) {
  hs_gtid gtid;
  if (read_gtid(told, &gtid) != 0) return; /* there was no change before */
  (void)pthread_mutex_lock(&client->mutex);
  add(client, &gtid);
  (void)pthread_mutex_unlock(&client->mutex);
}

/* The list as text, and its version. */
static uint64_t list_gtids(hs_client *client, hs_buf *out) {
  (void)pthread_mutex_lock(&client->mutex);
  for (size_t i = 0; i < client->gtid_count; i++) {
    if (i != 0) hs_buf_text(out, ",");
    hs_buf_add(out, client->gtids[i].text, client->gtids[i].len);
  }
  uint64_t version = client->gtid_version;
  (void)pthread_mutex_unlock(&client->mutex);
  return version;
}

/* Sends one line and gives its answer. */
static int ask(hs_conn *conn, hs_buf *line, double deadline, hs_reader *reader, hs_error *error) {
  conn->out.len = conn->sent = 0;
  reader->max_values = 1;
  hs_buf_add(&conn->out, line->data, line->len);
  if (line->failed || conn->out.failed) return hs_no_memory(error);
  int bad = hs_exchange(conn, reader, 1, deadline, error);
  conn->out.len = 0;
  return bad;
}

int hs_is_fresh(hs_client *client, hs_conn *conn) {
  hs_buf gtids = {0}, line = {0};
  hs_reader reader = {0};
  uint64_t version = list_gtids(client, &gtids);
  double limit = client->options.gtid_timeout, timeout = client->options.timeout;
  int fresh = version == 0 || version == conn->applied;
  if (!fresh && (conn->has & HS_HAS_GTID) &&
      hs_put_wait_gtid(&line, hs_bytes(gtids.data, gtids.len), (int64_t)(limit * 1000), NULL) ==
          0) {
    fresh = ask(conn, &line, timeout > 0 ? hs_now() + timeout + limit : 0, &reader, NULL);
    const hs_answer *a = reader.answers;
    if (fresh == 0)
      fresh = a->code == 0 && a->count == 1 && hs_is(hs_reader_value(&reader, a->first), "1");
    if (fresh == 1) conn->applied = version;
  }
  hs_reader_free(&reader);
  hs_buf_free(&line);
  hs_buf_free(&gtids);
  return fresh;
}

int hs_last_gtid(hs_client *client, char *buffer, size_t size, hs_error *error) {
  double timeout = client->options.timeout;
  hs_buf line = {0}, gtids = {0};
  int bad = 0;
  hs_buf_text(&line, "G\tL\n");
  for (hs_conn *conn = hs_take_changed(&client->places[1]), *next; conn != NULL; conn = next) {
    hs_reader reader = {0};
    next = conn->next;
    int broken = ask(conn, &line, timeout > 0 ? hs_now() + timeout : 0, &reader, error);
    if (!broken) {
      const hs_answer *a = reader.answers;
      hs_value value = hs_reader_value(&reader, a->first);
      conn->changed = a->code != 0;
      if (a->code == 0) hs_add_gtid(client, value);
      if (a->code != 0) hs_server_error(error, a->code, value);
      bad |= a->code != 0;
    }
    bad |= broken;
    hs_reader_free(&reader);
    hs_release(conn, broken);
  }
  (void)list_gtids(client, &gtids);
  hs_buf_add(&gtids, "", 1);
  if (!bad && gtids.failed) bad = hs_no_memory(error);
  if (!bad && gtids.len > size) bad = hs_fail(error, HS_VALUE, "the buffer is too small");
  if (!bad) memcpy(buffer, gtids.data, gtids.len);
  hs_buf_free(&line);
  hs_buf_free(&gtids);
  return bad ? -1 : 0;
}
