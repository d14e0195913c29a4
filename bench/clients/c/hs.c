/* The client for C. */
#include <handlersocket2.h>
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

static hs_client *client; /* one for all threads */

void ours_prepare(void) {
  char url[64];
  hs_error error = {0};
  sprintf(url, "hs://127.0.0.1:%d", port);
  need((client = hs_connect(url, &error)) != NULL, error.text);
}

typedef struct hs_state {
  hs_table *table;
  hs_reply *reply;
  hs_batch *batch;
  hs_error error;
} hs_state;

void *ours_open(void) {
  const char *columns[] = {"value"};
  hs_state *s = calloc(1, sizeof *s);
  s->table = hs_table_new(client, "test.pairs", NULL, columns, 1, 0, &s->error);
  s->reply = hs_reply_new();
  s->batch = hs_batch_new(client);
  need(s->table && s->reply && s->batch, s->error.text);
  return s;
}

void ours_look_up(void *state, const int *keys, char values[][VALUE + 1]) {
  hs_state *s = state;
  char text[HS_NUMBER];
  if (count == 1) {
    const hs_value key = hs_int64(keys[0], text);
    need(hs_get(s->table, &key, 1, s->reply, &s->error) == 0, s->error.text);
    const hs_value value = hs_reply_value(s->reply, 0, 0);
    take(values[0], value.data, value.len);
    return;
  }
  hs_batch_clear(s->batch);
  for (int i = 0; i < count; i++) {
    const hs_value key = hs_int64(keys[i], text);
    const hs_query query = {.key = &key, .key_count = 1};
    need(hs_batch_find(s->batch, s->table, &query, &s->error) == 0, s->error.text);
  }
  need(hs_batch_run(s->batch, s->reply, &s->error) == 0, s->error.text);
  for (int i = 0; i < count; i++) {
    need(hs_reply_select(s->reply, (size_t)i, &s->error) == 0, s->error.text);
    const hs_value value = hs_reply_value(s->reply, 0, 0);
    take(values[i], value.data, value.len);
  }
}
