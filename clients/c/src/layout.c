/* What D tells of tables. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static void free_layout(hs_layout *layout) {
  if (layout == NULL) return;
  hs_buf_free(&layout->text);
  free(layout->columns);
  free(layout->parts);
  free(layout);
}

void hs_layouts_free(hs_client *client) {
  for (hs_layout *layout = client->layouts, *next; layout != NULL; layout = next) {
    next = layout->next;
    free_layout(layout);
  }
}

/* Copies the values of an answer, each with a NUL behind it. */
static int copy_values(hs_reply *reply, size_t answer, size_t columns, hs_buf *out,
                       hs_error *error) {
  if (hs_reply_select(reply, answer, error) != 0) return -1;
  for (size_t row = 0; row < hs_reply_rows(reply); row++)
    for (size_t column = 0; column < columns; column++) {
      hs_value value = hs_reply_value(reply, row, column);
      if (memchr(value.data != NULL ? value.data : "", 0, value.len) != NULL) value.len = 0;
      hs_buf_add(out, value.data, value.len);
      hs_buf_add(out, "", 1);
    }
  return 0;
}

static const char *next(const char **at) {
  const char *text = *at;
  *at += strlen(text) + 1;
  return text;
}

static void skip(const char **at, int count) {
  while (count-- > 0) (void)next(at);
}

/* The type of a column, which stands behind its name. */
static const char *type_of(const hs_layout *layout, const char *name) {
  const hs_column *column = hs_layout_column(layout, hs_text(name));
  return column != NULL ? column->name + strlen(column->name) + 1 : "";
}

/* Makes columns and parts of the text, which is whole. */
static int fill(hs_layout *layout) {
  const char *at = layout->text.data;
  layout->columns = calloc(layout->column_count + 1, sizeof *layout->columns);
  layout->parts = calloc(layout->part_count + 1, sizeof *layout->parts);
  if (layout->columns == NULL || layout->parts == NULL) return -1;
  skip(&at, 2);
  for (size_t i = 0; i < layout->column_count; i++) {
    hs_column *column = &layout->columns[i];
    column->name = next(&at);
    const char *type = next(&at);
    column->kind = hs_kind_of(type);
    column->is_unsigned = strstr(type, " unsigned") != NULL;
    column->nullable = strcmp(next(&at), "YES") == 0;
    skip(&at, 5);
  }
  for (size_t i = 0; i < layout->part_count; i++) {
    hs_part *part = &layout->parts[i];
    part->index = next(&at);
    skip(&at, 1);
    part->column = next(&at);
    part->type = type_of(layout, part->column);
    part->unique = *next(&at) == '1';
    part->backward = *next(&at) == 'D';
    part->prefix = strtol(next(&at), NULL, 10);
  }
  return 0;
}

static hs_layout *ask(hs_table *table, hs_error *error) {
  hs_batch batch = {.client = table->client};
  hs_reply *reply = hs_reply_new();
  hs_layout *layout = calloc(1, sizeof *layout);
  hs_value database = hs_text(table->database), name = hs_text(table->table);
  int bad = reply == NULL || layout == NULL ? hs_no_memory(error) : 0;
  for (int indexes = 0; indexes < 2 && !bad; indexes++) {
    size_t at = batch.bytes.len;
    bad = hs_put_describe(&batch.bytes, database, name, indexes, error);
    if (!bad) bad = hs_batch_add(&batch, NULL, "describe", at, error);
    if (bad) continue;
    batch.items[indexes].needs = HS_HAS_DESCRIBE;
    batch.items[indexes].expect = hs_expect_rows(indexes ? 6 : 8, 0);
  }
  if (!bad) bad = hs_table_run(table, &batch, reply, error);
  if (!bad) {
    hs_buf_add(&layout->text, database.data, database.len + 1);
    hs_buf_add(&layout->text, name.data, name.len + 1);
    bad = copy_values(reply, 0, 8, &layout->text, error);
    layout->column_count = hs_reply_rows(reply);
  }
  if (!bad) {
    bad = copy_values(reply, 1, 6, &layout->text, error);
    layout->part_count = hs_reply_rows(reply);
  }
  if (!bad && (layout->text.failed || fill(layout) != 0)) bad = hs_no_memory(error);
  hs_batch_wipe(&batch);
  hs_reply_free(reply);
  if (!bad) return layout;
  free_layout(layout);
  return NULL;
}

/* Takes the layout over. One that is known with the same text is used again. */
static hs_layout *keep(hs_client *client, hs_layout *layout) {
  (void)pthread_mutex_lock(&client->mutex);
  hs_layout *known = client->layouts;
  while (known != NULL && (known->text.len != layout->text.len ||
                           memcmp(known->text.data, layout->text.data, layout->text.len) != 0))
    known = known->next;
  if (known == NULL) {
    layout->next = client->layouts;
    client->layouts = layout;
  }
  (void)pthread_mutex_unlock(&client->mutex);
  if (known == NULL) return layout;
  __atomic_store_n(&known->stale, 0, __ATOMIC_RELEASE);
  free_layout(layout);
  return known;
}

static int is_fresh(const hs_layout *layout) {
  return layout != NULL && !__atomic_load_n(&layout->stale, __ATOMIC_ACQUIRE);
}

static int is_of(const hs_layout *layout, const hs_table *table) {
  const char *at = layout->text.data;
  return strcmp(next(&at), table->database) == 0 && strcmp(next(&at), table->table) == 0;
}

static hs_layout *find(hs_client *client, const hs_table *table) {
  (void)pthread_mutex_lock(&client->mutex);
  hs_layout *known = client->layouts;
  while (known != NULL && (!is_fresh(known) || !is_of(known, table))) known = known->next;
  (void)pthread_mutex_unlock(&client->mutex);
  return known;
}

int hs_layout_of(hs_table *table, hs_layout **out, hs_error *error) {
  *out = __atomic_load_n(&table->layout, __ATOMIC_ACQUIRE);
  if (is_fresh(*out)) return 0;
  *out = find(table->client, table);
  if (*out == NULL) {
    hs_error why = {0};
    hs_layout *made = ask(table, &why);
    if (made == NULL && why.kind == HS_UNSUPPORTED) return 0;
    if (made == NULL && error != NULL) *error = why;
    if (made == NULL) return -1;
    *out = keep(table->client, made);
  }
  __atomic_store_n(&table->layout, *out, __ATOMIC_RELEASE);
  return 0;
}

int hs_layout_anew(hs_table *table, hs_error *error) {
  hs_layout *made = ask(table, error), *known = __atomic_load_n(&table->layout, __ATOMIC_ACQUIRE);
  if (made == NULL) return -1;
  made = keep(table->client, made);
  if (known != NULL && known != made) __atomic_store_n(&known->stale, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&table->layout, made, __ATOMIC_RELEASE);
  return 0;
}

int hs_layout_needed(hs_table *table, hs_layout **out, hs_error *error) {
  if (hs_layout_of(table, out, error) != 0) return -1;
  if (*out != NULL) return 0;
  return hs_fail(error, HS_UNSUPPORTED, "the server does not describe its tables");
}

const hs_column *hs_layout_column(const hs_layout *layout, hs_value name) {
  for (size_t i = 0; i < layout->column_count; i++)
    if (hs_is(name, layout->columns[i].name)) return &layout->columns[i];
  return NULL;
}

int hs_index_parts(hs_table *table, const hs_part **parts, size_t *count, hs_error *error) {
  const char *index = *table->index != 0 ? table->index : "PRIMARY";
  hs_layout *layout;
  if (hs_layout_needed(table, &layout, error) != 0) return -1;
  *count = 0;
  for (size_t i = 0; i < layout->part_count; i++) {
    if (strcmp(layout->parts[i].index, index) != 0) continue;
    if ((*count)++ == 0) *parts = &layout->parts[i];
  }
  if (*count != 0) return 0;
  hs_server_error(error, 2, hs_text("idxnum"));
  hs_table_forget(table);
  return -1;
}

int hs_add_index_check(hs_batch *b, hs_table *table, hs_error *error) {
  size_t at = b->bytes.len;
  hs_value database = hs_text(table->database), name = hs_text(table->table);
  if (hs_put_describe(&b->bytes, database, name, 1, error) != 0) return -1;
  if (hs_batch_add(b, NULL, "describe", at, error) != 0) return -1;
  b->items[b->count - 1].needs = HS_HAS_DESCRIBE;
  b->items[b->count - 1].expect = hs_expect_rows(6, 0);
  return 0;
}

static int is_part(const hs_reply *reply, size_t row, const hs_part *part) {
  char prefix[HS_NUMBER];
  hs_value told = hs_reply_value(reply, row, 5);
  hs_value length = part->prefix != 0 ? hs_int64(part->prefix, prefix) : hs_null();
  int is_backward = hs_is(hs_reply_value(reply, row, 4), "D");
  return hs_is(hs_reply_value(reply, row, 2), part->column) &&
         hs_is(hs_reply_value(reply, row, 3), part->unique ? "1" : "0") &&
         is_backward == part->backward && told.len == length.len &&
         (told.len == 0 || memcmp(told.data, length.data, told.len) == 0);
}

int hs_index_was(hs_reply *reply, hs_table *table, const hs_part *parts, size_t count) {
  const char *index = *table->index != 0 ? table->index : "PRIMARY";
  size_t found = 0;
  int same = 1;
  int told = reply->count > 1 && hs_reply_select(reply, 1, NULL) == 0;
  for (size_t row = 0; told && row < hs_reply_rows(reply); row++) {
    if (!hs_is(hs_reply_value(reply, row, 0), index)) continue;
    same = same && found < count && is_part(reply, row, &parts[found]);
    found++;
  }
  if (reply->count > 1) reply->count = 1;
  if (!told || (same && found == count)) return 1;
  hs_table_forget(table);
  return 0;
}

static hs_typed *make_typed(hs_layout *layout, const hs_spec *spec) {
  hs_typed *typed = malloc(sizeof *typed + spec->count * sizeof *typed->columns);
  if (typed == NULL) return NULL;
  typed->spec = spec;
  typed->layout = layout;
  for (size_t i = 0; i < spec->count; i++) {
    hs_column text = {spec->names[i].data, HS_KIND_TEXT, 0, 1};
    const hs_column *known = layout != NULL ? hs_layout_column(layout, spec->names[i]) : NULL;
    typed->columns[i] = known != NULL ? *known : text;
  }
  return typed;
}

const hs_typed *hs_typed_of(hs_client *client, hs_layout *layout, const hs_spec *spec) {
  (void)pthread_mutex_lock(&client->mutex);
  hs_typed *known = client->typed;
  while (known != NULL && (known->spec != spec || known->layout != layout)) known = known->next;
  if (known == NULL && (known = make_typed(layout, spec)) != NULL) {
    known->next = client->typed;
    client->typed = known;
  }
  (void)pthread_mutex_unlock(&client->mutex);
  return known;
}

static int has_columns(const hs_layout *layout, const hs_spec *spec) {
  for (size_t i = 0; i < spec->count; i++)
    if (hs_layout_column(layout, spec->names[i]) == NULL) return 0;
  return 1;
}

int hs_type(hs_table *table, hs_spec *spec, hs_error *error) {
  const hs_typed *typed = __atomic_load_n(&spec->typed, __ATOMIC_ACQUIRE);
  hs_layout *layout;
  if (hs_layout_of(table, &layout, error) != 0) return -1;
  if (layout == NULL || (typed != NULL && typed->layout == layout)) return 0;
  if (!has_columns(layout, spec)) { /* One may have been added. */
    hs_table_forget(table);
    if (hs_layout_of(table, &layout, error) != 0) return -1;
    if (layout == NULL) return 0;
  }
  typed = hs_typed_of(table->client, layout, spec);
  if (typed == NULL) return hs_no_memory(error);
  __atomic_store_n(&spec->typed, typed, __ATOMIC_RELEASE);
  return 0;
}

void hs_table_forget(hs_table *table) {
  hs_layout *layout = __atomic_load_n(&table->layout, __ATOMIC_ACQUIRE);
  if (layout != NULL) __atomic_store_n(&layout->stale, 1, __ATOMIC_RELEASE);
}

void hs_forget_missing(const hs_reply *reply) {
  for (size_t i = 0; i < reply->count; i++) {
    const hs_result *result = &reply->results[i];
    if (result->spec == NULL || result->answer == SIZE_MAX ||
        reply->reader.answers[result->answer].code == 0)
      continue;
    hs_error error = {0}; /* It is large. */
    const hs_typed *typed = __atomic_load_n(&result->spec->typed, __ATOMIC_ACQUIRE);
    if (typed != NULL && hs_reply_error(reply, i, &error) != 0 && error.kind == HS_NOT_FOUND)
      __atomic_store_n(&typed->layout->stale, 1, __ATOMIC_RELEASE);
  }
}
