/* Tables: what they are made of, and the columns that they read. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

void hs_table_free(hs_table *table) {
  if (table == NULL) return;
  for (size_t i = 0; table->columns != NULL && i < table->column_count; i++)
    free(table->columns[i]);
  free(table->columns);
  free(table->database);
  free(table->table);
  free(table->index);
  free(table);
}

/* Without columns it opens none. */
static int check(hs_table *t, const char *const *columns, size_t count, hs_error *error) {
  hs_list list;
  hs_value *names = hs_list_make(&list, count, error);
  if (names == NULL) return -1;
  for (size_t i = 0; i < count; i++) names[i] = hs_text(columns[i]);
  hs_open open = {
      hs_text(t->database), hs_text(t->table), hs_text(t->index), names, NULL, count, 0};
  hs_spec *spec = hs_spec_of(t->client, &open, error);
  hs_list_free(&list);
  if (count != 0) t->spec = spec;
  return spec != NULL ? 0 : -1;
}

static hs_table *make(hs_client *client, const char *database, const char *table, const char *index,
                      const char *const *columns, size_t count) {
  hs_table *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->client = client;
  t->database = strdup(database);
  t->table = strdup(table);
  t->index = strdup(index);
  t->columns = calloc(count + 1, sizeof *t->columns);
  int bad = t->database == NULL || t->table == NULL || t->index == NULL || t->columns == NULL;
  for (; !bad && t->column_count < count; t->column_count++)
    bad = (t->columns[t->column_count] = strdup(columns[t->column_count])) == NULL;
  if (!bad) return t;
  hs_table_free(t);
  return NULL;
}

/* Takes the part of a name that stands first, in front of a dot or in backquotes as in SQL, and writes it to
   `part`, which has room for all of the name. */
static int take_part(const char **name, char *part) {
  const char *at = *name;
  size_t length = 0;
  if (*at != '`') {
    length = strcspn(at, ".");
    memcpy(part, at, length);
    at += length;
  } else {
    for (at++; *at != '`' || at[1] == '`'; at++) {
      if (*at == 0) return -1;
      part[length++] = *at;
      if (*at == '`') at++;
    }
    at++;
  }
  part[length] = 0;
  *name = at;
  return length != 0 ? 0 : -1;
}

/* Each of the two has room for all of the name. An empty database: the name has none. */
static int split_name(const char *name, char *database, char *table) {
  database[0] = 0;
  if (take_part(&name, table) != 0) return -1;
  if (*name == 0) return 0;
  if (*name != '.') return -1;
  memcpy(database, table, strlen(table) + 1);
  name++;
  if (*name == '`') return take_part(&name, table) == 0 && *name == 0 ? 0 : -1;
  memcpy(table, name, strlen(name) + 1);
  return *name != 0 ? 0 : -1;
}

hs_table *hs_table_new(hs_client *client, const char *name, const char *index,
                       const char *const *columns, size_t column_count, int raw, hs_error *error) {
  const char *given = client->options.text[OPT_DATABASE];
  size_t room = strlen(name != NULL ? name : "") + 1;
  char *database = malloc(2 * room), *table = database != NULL ? database + room : NULL;
  hs_table *t = NULL;
  if (database != NULL) {
    if (name == NULL || split_name(name, database, table) != 0) database[0] = table[0] = 0;
    t = make(client, database[0] != 0 || given == NULL ? database : given, table,
             index != NULL ? index : "PRIMARY", columns, column_count);
  }
  free(database);
  if (t == NULL) {
    (void)hs_no_memory(error);
    return NULL;
  }
  t->raw = raw;
  if (check(t, columns, column_count, error) == 0) return t;
  hs_table_free(t);
  return NULL;
}

hs_table *hs_table_in(const hs_table *table, hs_transaction *transaction, hs_error *error) {
  hs_table *t = make(table->client, table->database, table->table, table->index,
                     (const char *const *)table->columns, table->column_count);
  if (t == NULL) {
    (void)hs_no_memory(error);
    return NULL;
  }
  t->raw = table->raw;
  t->in = transaction;
  t->spec = __atomic_load_n(&table->spec, __ATOMIC_ACQUIRE);
  t->layout = __atomic_load_n(&table->layout, __ATOMIC_ACQUIRE);
  return t;
}

/* All columns, as the layout has them. */
static hs_spec *all_columns(hs_table *t, hs_error *error) {
  hs_spec *spec = __atomic_load_n(&t->spec, __ATOMIC_ACQUIRE);
  hs_layout *layout;
  hs_list list;
  if (hs_layout_needed(t, &layout, error) != 0) return NULL;
  const hs_typed *typed = spec != NULL ? __atomic_load_n(&spec->typed, __ATOMIC_ACQUIRE) : NULL;
  if (typed != NULL && typed->layout == layout) return spec;
  hs_value *names = hs_list_make(&list, layout->column_count, error);
  if (names == NULL) return NULL;
  for (size_t i = 0; i < layout->column_count; i++) names[i] = hs_text(layout->columns[i].name);
  hs_open open = {hs_text(t->database),
                  hs_text(t->table),
                  hs_text(t->index),
                  names,
                  NULL,
                  layout->column_count,
                  0};
  spec = hs_spec_of(t->client, &open, error);
  hs_list_free(&list);
  if (spec == NULL || hs_type(t, spec, error) != 0) return NULL;
  __atomic_store_n(&t->spec, spec, __ATOMIC_RELEASE);
  return spec;
}

hs_spec *hs_table_spec(hs_table *t, hs_error *error) {
  if (t->column_count == 0) return all_columns(t, error);
  return t->raw || hs_type(t, t->spec, error) == 0 ? t->spec : NULL;
}

int hs_table_columns(hs_table *table, const hs_column **columns, size_t *count, hs_error *error) {
  hs_spec *spec = hs_table_spec(table, error);
  if (spec == NULL) return -1;
  const hs_typed *typed = __atomic_load_n(&spec->typed, __ATOMIC_ACQUIRE);
  /* All is text of a raw table, and of a server that does not tell. */
  if (table->raw || typed == NULL) typed = hs_typed_of(table->client, NULL, spec);
  if (typed == NULL) return hs_no_memory(error);
  *columns = typed->columns;
  *count = spec->count;
  return 0;
}

int hs_table_run(hs_table *t, const hs_batch *batch, hs_reply *reply, hs_error *error) {
  if (t->in != NULL) return hs_transaction_run(t->in, (hs_batch *)batch, reply, error);
  return hs_run(t->client, batch, reply, error);
}
