/* Calls of tables as requests of a batch: names become places, and columns an index to open. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

hs_value *hs_list_make(hs_list *list, size_t count, hs_error *error) {
  list->all = list->few;
  if (count <= sizeof list->few / sizeof *list->few) return list->few;
  list->all = calloc(count, sizeof *list->all);
  if (list->all == NULL) (void)hs_no_memory(error);
  return list->all;
}

void hs_list_free(hs_list *list) {
  if (list->all != list->few) free(list->all);
}

static size_t place_of(const hs_value *names, size_t count, hs_value name) {
  size_t at = 0;
  while (at < count &&
         (names[at].len != name.len || memcmp(names[at].data, name.data, name.len) != 0))
    at++;
  return at;
}

static int part_of(hs_table *t, const char *column, int64_t *part, hs_error *error) {
  const hs_part *parts = NULL;
  size_t count;
  *part = -1;
  if (column == NULL) return 0;
  for (int asked = 0; asked < 2 && *part < 0; asked++) {
    if (asked && hs_layout_anew(t, error) != 0) return -1; /* the index may be a new one */
    if (hs_index_parts(t, &parts, &count, error) != 0) return -1;
    for (size_t i = 0; i < count; i++)
      if (strcmp(parts[i].column, column) == 0) *part = (int64_t)i;
  }
  return *part >= 0 ? 0 : hs_fail(error, HS_VALUE, "the index has no column %.80s", column);
}

static unsigned needs_of(const hs_query *q, const char *verb) {
  unsigned needs = *verb == 'C' ? HS_HAS_COUNT : 0;
  if (*verb != 0 && verb[1] == '!') needs |= HS_HAS_RETURNING;
  if (q->op != NULL && strcmp(q->op, "=<") == 0) needs |= HS_HAS_DESCENDING;
  if (q->in_column != NULL && q->in_all) needs |= HS_HAS_ALL;
  return needs;
}

hs_expect hs_expect_rows(size_t columns, int64_t limit) {
  uint64_t most = limit > 0 ? columns * (uint64_t)limit : UINT64_MAX;
  return (hs_expect){HS_EXPECT_ROWS, columns, most};
}

/* places: of each filter among the filter columns. */
static int add_line(hs_batch *b, hs_table *t, hs_spec *spec, const hs_query *q,
                    const size_t *places, const char *verb, const hs_value *values,
                    const char *kind, hs_error *error) {
  hs_find_line line = {.op = q->op != NULL ? q->op : "=",
                       .verb = verb,
                       .key = q->key,
                       .key_count = q->key_count,
                       .limit = q->limit != 0 || *verb == 'C' ? q->limit : 1,
                       .offset = q->offset,
                       .in = q->in,
                       .in_count = q->in_count,
                       .in_all = q->in_all,
                       .filters = q->filters,
                       .filter_places = places,
                       .filter_count = q->filter_count,
                       .values = values,
                       .value_count = values != NULL ? spec->count : 0};
  size_t at = b->bytes.len;
  if (part_of(t, q->in_column, &line.in_part, error) != 0) return -1;
  if (hs_put_find(&b->bytes, &line, error) != 0) return -1;
  if (hs_batch_add(b, spec, kind, at, error) != 0) return -1;
  hs_item *item = &b->items[b->count - 1];
  item->needs = needs_of(q, verb);
  item->expect =
      *verb == 0 || verb[1] != 0
          ? hs_expect_rows(spec->count, *verb == 0 && q->in_column == NULL ? line.limit : 0)
          : (hs_expect){HS_EXPECT_NUMBER, 1, 1};
  return 0;
}

static int add_filtered(hs_batch *b, hs_table *t, hs_open *open, hs_value *names, size_t *places,
                        const hs_query *q, const char *verb, const hs_value *values,
                        const char *kind, hs_error *error) {
  for (size_t i = 0; i < q->filter_count; i++) {
    hs_value name = hs_text(q->filters[i].column != NULL ? q->filters[i].column : "");
    places[i] = place_of(names, open->filter_count, name);
    if (places[i] == open->filter_count) names[open->filter_count++] = name;
  }
  open->filters = names;
  hs_spec *spec = hs_spec_of(t->client, open, error);
  if (spec == NULL) return -1;
  int reads = *verb == 0 || (*verb != 'C' && verb[1] != 0);
  if (reads && !t->raw && hs_type(t, spec, error) != 0) return -1;
  return add_line(b, t, spec, q, places, verb, values, kind, error);
}

int hs_add_find(hs_batch *b, hs_table *t, const hs_value *columns, size_t column_count,
                const hs_query *q, const char *verb, const hs_value *values, const char *kind,
                hs_error *error) {
  hs_open open = {
      hs_text(t->database), hs_text(t->table), hs_text(t->index), columns, NULL, column_count, 0};
  hs_list list;
  size_t few[16], *places = few;
  hs_value *names = hs_list_make(&list, q->filter_count, error);
  if (names == NULL) return -1;
  if (q->filter_count > sizeof few / sizeof *few) places = calloc(q->filter_count, sizeof *places);
  int bad = places == NULL ? hs_no_memory(error) : 0;
  if (!bad) bad = add_filtered(b, t, &open, names, places, q, verb, values, kind, error);
  if (places != few) free(places);
  hs_list_free(&list);
  return bad;
}

int hs_add_read(hs_batch *b, hs_table *t, hs_spec *spec, const hs_query *q, const char *kind,
                hs_error *error) {
  if (q->filter_count == 0) return add_line(b, t, spec, q, NULL, "", NULL, kind, error);
  return hs_add_find(b, t, spec->names, spec->count, q, "", NULL, kind, error);
}

int hs_batch_find(hs_batch *b, hs_table *t, const hs_query *q, hs_error *error) {
  if (q->in_column != NULL && hs_layout_anew(t, error) != 0) return -1; /* see hs_index_was */
  hs_spec *spec = hs_table_spec(t, error);
  if (spec == NULL) return -1;
  return hs_add_read(b, t, spec, q, q->in_all ? "find_all" : "find", error);
}

int hs_batch_count(hs_batch *b, hs_table *t, const hs_query *q, hs_error *error) {
  return hs_add_find(b, t, NULL, 0, q, "C", NULL, "count", error);
}

static const char *kind_of(char change) {
  return change == 'U'   ? "update"
         : change == 'D' ? "delete"
         : change == '+' ? "increment"
                         : "decrement";
}

int hs_batch_change(hs_batch *b, hs_table *t, const hs_query *q, const char *change,
                    const hs_field *fields, size_t count, hs_error *error) {
  int bad, deletes = change != NULL && *change == 'D';
  if (change == NULL || *change == 0 || *change == 'C')
    return hs_fail(error, HS_VALUE, "a change is U, D, + or -");
  if (deletes ? count != 0 : count == 0)
    return hs_fail(error, HS_VALUE, deletes ? "D takes no fields" : "there is no field to change");
  if (deletes) {
    hs_spec *spec = change[1] != 0 ? hs_table_spec(t, error) : NULL;
    if (change[1] != 0 && spec == NULL) return -1;
    bad = hs_add_find(b, t, spec != NULL ? spec->names : NULL, spec != NULL ? spec->count : 0, q,
                      change, NULL, kind_of(*change), error);
  } else {
    hs_list list;
    hs_value *names = hs_list_make(&list, 2 * count, error), *values = names + count;
    if (names == NULL) return -1;
    for (size_t i = 0; i < count; i++) {
      names[i] = hs_text(fields[i].name != NULL ? fields[i].name : "");
      values[i] = fields[i].value;
    }
    bad = hs_add_find(b, t, names, count, q, change, values, kind_of(*change), error);
    hs_list_free(&list);
  }
  if (!bad) b->write = 1;
  return bad;
}

/* The columns of an update first, for it sets the first opened columns; then the rest of the row; then
   those that are only given back. Returns how many of them have values, or SIZE_MAX. */
static size_t order(const hs_field *row, size_t count, const hs_field *update, size_t update_count,
                    hs_value *names, hs_value *values, hs_error *error) {
  size_t made = 0;
  for (size_t i = 0; i < update_count + count; i++) {
    const hs_field *field = i < update_count ? &update[i] : &row[i - update_count];
    hs_value name = hs_text(field->name != NULL ? field->name : "");
    if (i >= update_count && place_of(names, update_count, name) < update_count) continue;
    size_t at = 0;
    while (i < update_count && at < count && !hs_is(name, row[at].name)) at++;
    if (at == count && i < update_count) {
      (void)hs_fail(error, HS_VALUE, "column %.80s is updated and not in the row", field->name);
      return SIZE_MAX;
    }
    names[made] = name;
    values[made++] = i < update_count ? row[at].value : field->value;
  }
  return made;
}

typedef struct insert {
  hs_batch *batch;
  hs_table *table;
  const char *verb;
  const hs_field *row, *update;
  size_t count, update_count;
} insert;

/* names, values and updates have room for all columns. */
static int add_insert(const insert *in, const hs_spec *given, hs_value *names, hs_value *values,
                      hs_value *updates, hs_error *error) {
  static const char *const kinds[] = {"insert", "insert_ignore", "upsert", "replace"};
  hs_table *t = in->table;
  size_t made = order(in->row, in->count, in->update, in->update_count, names, values, error);
  if (made == SIZE_MAX) return -1;
  size_t columns = made, at = in->batch->bytes.len;
  for (size_t i = 0; given != NULL && i < given->count; i++)
    if (place_of(names, columns, given->names[i]) == columns) names[columns++] = given->names[i];
  for (size_t i = 0; i < in->update_count; i++) updates[i] = in->update[i].value;
  hs_insert_line line = {in->verb, values, in->update != NULL ? updates : NULL, made,
                         in->update_count};
  if (hs_put_insert(&in->batch->bytes, &line, error) != 0) return -1;
  hs_open open = {
      hs_text(t->database), hs_text(t->table), hs_text(t->index), names, NULL, columns, 0};
  hs_spec *spec = hs_spec_of(t->client, &open, error);
  if (spec == NULL || (given != NULL && !t->raw && hs_type(t, spec, error) != 0)) {
    in->batch->bytes.len = at;
    return -1;
  }
  const char *letter = strchr("IUR", in->verb[1]);
  size_t which = in->verb[1] != 0 && letter != NULL ? (size_t)(letter - "IUR") + 1 : 0;
  if (hs_batch_add(in->batch, spec, kinds[which], at, error) != 0) return -1;
  hs_item *item = &in->batch->items[in->batch->count - 1];
  item->verb = "+IUR"[which];
  if (given != NULL)
    item->expect = hs_expect_rows(columns, 0);
  else
    item->expect =
        which == 0 ? (hs_expect){HS_EXPECT_ID, 1, 1} : (hs_expect){HS_EXPECT_ADDED, 2, 2};
  if (which != 0) item->needs |= HS_HAS_UPSERT;
  if (strchr(in->verb, '!') != NULL) item->needs |= HS_HAS_RETURNING;
  in->batch->write = 1;
  return 0;
}

int hs_batch_insert(hs_batch *b, hs_table *t, const char *verb, const hs_field *row, size_t count,
                    const hs_field *update, size_t update_count, hs_error *error) {
  static const hs_field none[1];
  if (verb == NULL || *verb != '+')
    return hs_fail(error, HS_VALUE, "an insert is +, +I, +U or +R, with ? or ! behind it");
  if (count == 0) return hs_fail(error, HS_VALUE, "a row has a column at least");
  int returns = strpbrk(verb, "?!") != NULL;
  hs_spec *given = returns ? hs_table_spec(t, error) : NULL;
  if (returns && given == NULL) return -1;
  size_t most = count + update_count + (given != NULL ? given->count : 0);
  hs_list list;
  hs_value *names = hs_list_make(&list, 3 * most, error);
  if (names == NULL) return -1;
  if (update != NULL && update_count == 0) update = none;
  insert in = {b, t, verb, row, update, count, update != NULL ? update_count : 0};
  int bad = add_insert(&in, given, names, names + most, names + 2 * most, error);
  hs_list_free(&list);
  return bad;
}
