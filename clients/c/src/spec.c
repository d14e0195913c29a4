/* Specs: what P has of a table, an index and columns. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static size_t bucket(const char *text, size_t len) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash % HS_BUCKETS;
}

static void free_spec(hs_spec *spec) {
  if (spec == NULL) return;
  free(spec->open);
  free(spec->table);
  if (spec->names != NULL) free((char *)spec->names[0].data);
  free(spec->names);
  free(spec);
}

/* The names are in one piece of memory. */
static int copy_names(hs_spec *spec, const hs_open *open) {
  size_t size = 1;
  for (size_t i = 0; i < open->column_count; i++) size += open->columns[i].len + 1;
  char *text = malloc(size);
  spec->names = calloc(open->column_count + 1, sizeof *spec->names);
  if (text == NULL || spec->names == NULL) {
    free(text);
    return -1;
  }
  spec->names[0].data = text;
  for (size_t i = 0; i < open->column_count; i++) {
    spec->names[i] = (hs_value){text, open->columns[i].len};
    memcpy(text, open->columns[i].data, open->columns[i].len);
    text += open->columns[i].len;
    *text++ = 0;
  }
  spec->count = open->column_count;
  return 0;
}

static hs_spec *make(const hs_open *open, const hs_buf *text) {
  hs_spec *spec = calloc(1, sizeof *spec);
  if (spec == NULL) return NULL;
  spec->open = malloc(text->len + 1);
  spec->table = malloc(open->database.len + open->table.len + 2);
  if (spec->open == NULL || spec->table == NULL || copy_names(spec, open) != 0) {
    free_spec(spec);
    return NULL;
  }
  memcpy(spec->open, text->data, text->len);
  spec->open[text->len] = 0;
  memcpy(spec->table, open->database.data, open->database.len);
  spec->table[open->database.len] = '.';
  memcpy(spec->table + open->database.len + 1, open->table.data, open->table.len);
  spec->table[open->database.len + 1 + open->table.len] = 0;
  return spec;
}

hs_spec *hs_spec_of(hs_client *client, const hs_open *open, hs_error *error) {
  hs_buf text = {0};
  if (hs_put_open(&text, open, error) != 0) {
    hs_buf_free(&text);
    return NULL;
  }
  hs_spec **first = &client->specs[bucket(text.data, text.len)], *spec;
  (void)pthread_mutex_lock(&client->mutex);
  for (spec = *first; spec != NULL; spec = spec->next)
    if (hs_is(hs_bytes(text.data, text.len), spec->open)) break;
  if (spec == NULL && (spec = make(open, &text)) != NULL) {
    spec->next = *first;
    *first = spec;
  }
  (void)pthread_mutex_unlock(&client->mutex);
  hs_buf_free(&text);
  if (spec == NULL) (void)hs_no_memory(error);
  return spec;
}

void hs_specs_free(hs_client *client) {
  for (size_t i = 0; i < HS_BUCKETS; i++)
    for (hs_spec *spec = client->specs[i], *next; spec != NULL; spec = next) {
      next = spec->next;
      free_spec(spec);
    }
  for (hs_typed *typed = client->typed, *next; typed != NULL; typed = next) {
    next = typed->next;
    free(typed);
  }
}
