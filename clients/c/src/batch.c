/* Batches and replies, and the calls of a table, which are batches of one. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The request that begins at `at` in the bytes. */
int hs_batch_add(hs_batch *b, const hs_spec *spec, size_t at, hs_error *error) {
  if (!b->bytes.failed && b->count == b->cap) {
    size_t cap = b->cap != 0 ? b->cap * 2 : 4;
    hs_item *items = realloc(b->items, cap * sizeof *items);
    if (items == NULL) {
      b->bytes.failed = 1;
    } else {
      b->items = items;
      b->cap = cap;
    }
  }
  if (b->bytes.failed) {
    b->bytes.len = at;
    b->bytes.failed = 0;
    return hs_fail(error, HS_VALUE, "no memory for the request");
  }
  b->items[b->count++] = (hs_item){spec, at, b->bytes.len - at};
  return 0;
}

void hs_batch_wipe(hs_batch *b) {
  hs_buf_free(&b->bytes);
  free(b->items);
  b->items = NULL;
  b->count = b->cap = 0;
}

hs_batch *hs_batch_new(hs_client *client) {
  hs_batch *batch = calloc(1, sizeof *batch);
  if (batch != NULL) batch->client = client;
  return batch;
}

void hs_batch_free(hs_batch *batch) {
  if (batch == NULL) return;
  hs_batch_wipe(batch);
  free(batch);
}

void hs_batch_clear(hs_batch *b) {
  b->bytes.len = b->count = 0;
  b->write = b->once = 0;
  b->table = NULL;
}

static int query(hs_batch *b, hs_table *t, enum hs_form form, const hs_query *q, const char *change,
                 const hs_value *values, size_t count, hs_error *error) {
  size_t at = b->bytes.len;
  if (hs_encode_query(&b->bytes, form, q, change, values, count, error) != 0) return -1;
  b->table = t->name;
  return hs_batch_add(b, t->spec, at, error);
}

int hs_batch_find(hs_batch *b, hs_table *t, const hs_query *q, hs_error *error) {
  return query(b, t, HS_FORM_FIND, q, NULL, NULL, 0, error);
}

int hs_batch_count(hs_batch *b, hs_table *t, const hs_query *q, hs_error *error) {
  return query(b, t, HS_FORM_COUNT, q, NULL, NULL, 0, error);
}

int hs_batch_change(hs_batch *b, hs_table *t, const hs_query *q, const char *change,
                    const hs_value *values, size_t count, hs_error *error) {
  if (query(b, t, HS_FORM_CHANGE, q, change, values, count, error) != 0) return -1;
  b->write = 1;
  return 0;
}

int hs_batch_insert(hs_batch *b, hs_table *t, const char *verb, const hs_value *values,
                    size_t count, const hs_value *update, size_t update_count, hs_error *error) {
  size_t at = b->bytes.len;
  if (hs_encode_insert(&b->bytes, verb, values, count, update, update_count, error) != 0) return -1;
  b->table = t->name;
  b->write = 1;
  return hs_batch_add(b, t->spec, at, error);
}

int hs_batch_line(hs_batch *b, const char *line, hs_error *error) {
  size_t at = b->bytes.len;
  hs_buf_text(&b->bytes, line);
  return hs_batch_add(b, NULL, at, error);
}

int hs_batch_run(hs_batch *b, hs_reply *reply, hs_error *error) {
  return hs_run(b->client, b, reply, error);
}

/* Runs the one request of the scratch batch; its error is the call's. */
static int run_one(hs_table *t, hs_reply *reply, hs_error *error) {
  if (hs_run(t->client, &reply->scratch, reply, error) != 0) return -1;
  return hs_reply_select(reply, 0, error);
}

int hs_get(hs_table *t, const hs_value *key, size_t key_count, hs_reply *reply, hs_error *error) {
  hs_query q = {.key = key, .key_count = key_count};
  return hs_find(t, &q, reply, error);
}

int hs_find(hs_table *t, const hs_query *q, hs_reply *reply, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_find(&reply->scratch, t, q, error) != 0) return -1;
  return run_one(t, reply, error);
}

int hs_count(hs_table *t, const hs_query *q, hs_reply *reply, uint64_t *rows, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_count(&reply->scratch, t, q, error) != 0) return -1;
  if (run_one(t, reply, error) != 0) return -1;
  if (hs_value_uint64(hs_reply_value(reply, 0, 0), rows) == 0) return 0;
  return hs_fail(error, HS_PROTOCOL, "a count is no number");
}

int hs_change(hs_table *t, const hs_query *q, const char *change, const hs_value *values,
              size_t count, hs_reply *reply, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_change(&reply->scratch, t, q, change, values, count, error) != 0) return -1;
  return run_one(t, reply, error);
}

int hs_insert(hs_table *t, const char *verb, const hs_value *values, size_t count,
              const hs_value *update, size_t update_count, hs_reply *reply, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_insert(&reply->scratch, t, verb, values, count, update, update_count, error) != 0)
    return -1;
  return run_one(t, reply, error);
}

hs_reply *hs_reply_new(void) { return calloc(1, sizeof(hs_reply)); }

void hs_reply_free(hs_reply *reply) {
  if (reply == NULL) return;
  hs_reader_free(&reply->reader);
  hs_batch_wipe(&reply->scratch);
  free(reply->map);
  free(reply);
}

static const hs_answer *answer(const hs_reply *reply) {
  return reply->selected < reply->count ? &reply->reader.answers[reply->map[reply->selected]]
                                        : NULL;
}

size_t hs_reply_count(const hs_reply *reply) { return reply->count; }

size_t hs_reply_columns(const hs_reply *reply) {
  const hs_answer *a = answer(reply);
  return a != NULL ? a->columns : 0;
}

size_t hs_reply_rows(const hs_reply *reply) {
  const hs_answer *a = answer(reply);
  return a != NULL && a->code == 0 && a->columns != 0 ? a->count / a->columns : 0;
}

hs_value hs_reply_value(const hs_reply *reply, size_t row, size_t column) {
  if (row >= hs_reply_rows(reply) || column >= hs_reply_columns(reply)) return hs_null();
  const hs_answer *a = answer(reply);
  return hs_reader_value(&reply->reader, a->first + row * a->columns + column);
}

int hs_reply_select(hs_reply *reply, size_t number, hs_error *error) {
  if (number >= reply->count) return hs_fail(error, HS_VALUE, "there is no such answer");
  reply->selected = number;
  const hs_answer *a = answer(reply);
  if (a->code == 0) return 0;
  hs_server_error(error, a->code, hs_reader_value(&reply->reader, a->first));
  return -1;
}
