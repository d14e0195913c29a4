/* The calls of a table, which are batches of one. */
#include <stdlib.h>

#include "internal.h"

/* Runs the requests of the scratch batch; the error of the first one is the call's. */
static int run(hs_table *t, hs_reply *reply, hs_error *error) {
  if (hs_table_run(t, &reply->scratch, reply, error) != 0) return -1;
  return hs_reply_select(reply, 0, error);
}

/* The place of the column of an IN is right for some columns of the index alone. */
static int find_in(hs_table *t, const hs_query *q, const char *kind, hs_reply *reply,
                   hs_error *error) {
  hs_batch *b = &reply->scratch;
  for (;;) {
    const hs_part *before = NULL, *parts = NULL;
    size_t count = 0;
    hs_batch_clear(b);
    hs_spec *spec = hs_table_spec(t, error);
    if (spec == NULL || hs_index_parts(t, &before, &count, error) != 0) return -1;
    if (hs_add_read(b, t, spec, q, kind, error) != 0) return -1;
    if (hs_index_parts(t, &parts, &count, error) != 0) return -1;
    if (before != parts) continue; /* Another thread has asked anew. */
    if (hs_add_index_check(b, t, error) != 0 || hs_table_run(t, b, reply, error) != 0) return -1;
    if (hs_index_was(reply, t, parts, count)) return hs_reply_select(reply, 0, error);
  }
}

static int find(hs_table *t, const hs_query *q, const char *kind, hs_reply *reply,
                hs_error *error) {
  if (q->in_column != NULL) return find_in(t, q, kind, reply, error);
  hs_batch_clear(&reply->scratch);
  hs_spec *spec = hs_table_spec(t, error);
  if (spec == NULL || hs_add_read(&reply->scratch, t, spec, q, kind, error) != 0) return -1;
  return run(t, reply, error);
}

int hs_get(hs_table *t, const hs_value *key, size_t key_count, hs_reply *reply, hs_error *error) {
  hs_query q = {.key = key, .key_count = key_count};
  return find(t, &q, "get", reply, error);
}

int hs_get_many(hs_table *t, const hs_value *keys, size_t key_count, size_t count, hs_reply *reply,
                hs_error *error) {
  hs_batch *b = &reply->scratch;
  hs_batch_clear(b);
  reply->count = 0;
  hs_spec *spec = count != 0 ? hs_table_spec(t, error) : NULL;
  if (count != 0 && spec == NULL) return -1;
  for (size_t i = 0; i < count; i++) {
    hs_query q = {.key = keys + i * key_count, .key_count = key_count};
    if (hs_add_read(b, t, spec, &q, "get_many", error) != 0) return -1;
  }
  return count != 0 ? hs_table_run(t, b, reply, error) : 0;
}

int hs_find(hs_table *t, const hs_query *q, hs_reply *reply, hs_error *error) {
  return find(t, q, q->in_all ? "find_all" : "find", reply, error);
}

static int count(hs_table *t, const hs_query *q, const char *kind, hs_reply *reply, uint64_t *rows,
                 hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_add_find(&reply->scratch, t, NULL, 0, q, "C", NULL, kind, error) != 0) return -1;
  return run(t, reply, error) == 0 ? hs_reply_number(reply, rows, error) : -1;
}

int hs_count(hs_table *t, const hs_query *q, hs_reply *reply, uint64_t *rows, hs_error *error) {
  return count(t, q, "count", reply, rows, error);
}

int hs_exists(hs_table *t, const hs_value *key, size_t key_count, hs_reply *reply, int *exists,
              hs_error *error) {
  hs_query q = {.key = key, .key_count = key_count, .limit = 1};
  uint64_t rows = 0;
  int bad = count(t, &q, "exists", reply, &rows, error);
  *exists = rows != 0;
  return bad;
}

int hs_change(hs_table *t, const hs_query *q, const char *change, const hs_field *fields,
              size_t field_count, hs_reply *reply, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_change(&reply->scratch, t, q, change, fields, field_count, error) != 0) return -1;
  return run(t, reply, error);
}

int hs_compare_and_set(hs_table *t, const hs_value *key, size_t key_count, const hs_field *expected,
                       size_t expected_count, const hs_field *fields, size_t field_count,
                       hs_reply *reply, int *was, hs_error *error) {
  hs_filter few[16], *filters = few;
  uint64_t rows = 0;
  if (expected_count == 0) return hs_fail(error, HS_VALUE, "there is nothing to compare with");
  if (expected_count > sizeof few / sizeof *few) filters = calloc(expected_count, sizeof *filters);
  if (filters == NULL) return hs_no_memory(error);
  for (size_t i = 0; i < expected_count; i++)
    filters[i] = (hs_filter){expected[i].name, "=", expected[i].value, 0};
  hs_query q = {
      .key = key, .key_count = key_count, .filters = filters, .filter_count = expected_count};
  hs_batch_clear(&reply->scratch);
  int bad = hs_batch_change(&reply->scratch, t, &q, "U", fields, field_count, error);
  if (filters != few) free(filters);
  if (bad) return -1;
  reply->scratch.items[0].kind = "compare_and_set";
  bad = run(t, reply, error);
  if (!bad) bad = hs_reply_number(reply, &rows, error);
  *was = rows != 0;
  return bad;
}

int hs_insert(hs_table *t, const char *verb, const hs_field *row, size_t row_count,
              const hs_field *update, size_t update_count, hs_reply *reply, hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_batch_insert(&reply->scratch, t, verb, row, row_count, update, update_count, error) != 0)
    return -1;
  return run(t, reply, error);
}
