/* Batches: requests that go in one piece. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The request that begins at `at` in the bytes. */
int hs_batch_add(hs_batch *b, const hs_spec *spec, const char *kind, size_t at, hs_error *error) {
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
    return hs_no_memory(error);
  }
  b->items[b->count++] =
      (hs_item){spec, kind, at, b->bytes.len - at, 0, 0, 0, {HS_EXPECT_ANY, 0, 0}};
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
  b->write = 0;
  b->patience = 0;
}

size_t hs_batch_size(const hs_batch *batch) { return batch->count; }

int hs_batch_run(hs_batch *b, hs_reply *reply, hs_error *error) {
  return hs_run(b->client, b, reply, error);
}
