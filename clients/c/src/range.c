/* Ranges: rows from one key to another, one page at a time. A page begins behind the last row's key where
   one row at most can have it, and else with the rows of a key. It ends in front of a key whose rows may
   not all be in it: the next page reads them again, so that rows which come or go meanwhile shift no
   others. Only of a key with more rows than a page has, the rows that were given are skipped by their
   number. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct hs_range {
  hs_table *table;
  hs_reply *reply;
  hs_spec *spec; /* the columns that are given, then those of the index */
  size_t given;  /* columns */
  const hs_part *parts;
  size_t part_count, *places; /* which column of the reply each part is */
  int has_same;               /* values of other bytes may be the same: texts, zeros of DOUBLE */
  int ends;                   /* there are no more pages */
  hs_filter *filters;
  hs_buf *owned; /* memory of the filters' values and of the key */
  size_t filter_count;
  hs_value *key; /* with which the next page begins */
  size_t key_count;
  int64_t skip, page;
  int reverse;
  const char *op;
  size_t row, rows; /* of the page: where the range is, how many are given */
};

void hs_range_free(hs_range *r) {
  if (r == NULL) return;
  for (size_t i = 0; r->owned != NULL && i < r->filter_count + r->part_count; i++)
    hs_buf_free(&r->owned[i]);
  for (size_t i = 0; r->filters != NULL && i < r->filter_count; i++)
    free((char *)r->filters[i].column);
  free(r->filters);
  free(r->owned);
  free(r->key);
  free(r->places);
  hs_reply_free(r->reply);
  free(r);
}

/* A value in memory of the range. */
static hs_value own(hs_buf *memory, hs_value value) {
  memory->len = 0;
  if (value.data == NULL || value.data == hs_no_number) return value;
  hs_buf_add(memory, value.data, value.len);
  return hs_bytes(memory->data, memory->len);
}

/* An index of the beginnings of a column has not the order of whole values, so there the stop does not
   end the search. */
static int set_filters(hs_range *r, const hs_bounds *b) {
  const hs_part *first = &r->parts[0];
  for (size_t i = 0; i < r->filter_count; i++) {
    int is_stop = i == b->filter_count;
    hs_filter stop = {first->column, (b->reverse != 0) != first->backward ? ">" : "<",
                      is_stop ? *b->stop : hs_null(), first->prefix == 0};
    r->filters[i] = is_stop ? stop : b->filters[i];
    const char *column = r->filters[i].column;
    r->filters[i].op = hs_comparison(r->filters[i].op);
    r->filters[i].column = strdup(column != NULL ? column : "");
    r->filters[i].value = own(&r->owned[i], r->filters[i].value);
    if (r->filters[i].column == NULL || r->owned[i].failed) return -1;
  }
  return 0;
}

static void set_key(hs_range *r, size_t part, hs_value value) {
  r->key[part] = own(&r->owned[r->filter_count + part], value);
}

/* The columns of the index are read, too. */
static int set_spec(hs_range *r, hs_error *error) {
  hs_table *t = r->table;
  hs_spec *plain = hs_table_spec(t, error);
  hs_list list;
  if (plain == NULL) return -1;
  size_t count = r->given = plain->count;
  hs_value *names = hs_list_make(&list, count + r->part_count, error);
  if (names == NULL) return -1;
  memcpy(names, plain->names, count * sizeof *names);
  for (size_t i = 0; i < r->part_count; i++) {
    hs_value name = hs_text(r->parts[i].column);
    size_t at = 0;
    while (at < count && !hs_is(names[at], r->parts[i].column)) at++;
    if (at == count) names[count++] = name;
    r->places[i] = at;
    hs_kind kind = hs_kind_of(r->parts[i].type);
    r->has_same |= kind == HS_KIND_TEXT || kind == HS_KIND_FLOAT;
  }
  hs_open open = {
      hs_text(t->database), hs_text(t->table), hs_text(t->index), names, NULL, count, 0};
  r->spec = hs_spec_of(t->client, &open, error);
  hs_list_free(&list);
  return r->spec != NULL ? 0 : -1;
}

static hs_value part_value(const hs_range *r, size_t row, size_t part) {
  return hs_reply_value(r->reply, row, r->places[part]);
}

/* Runs the request in the scratch batch. It is right for the columns of the index that the range began
   with: one that was made anew under the same name has another order. */
static int run(const hs_range *r, hs_reply *reply, hs_error *error) {
  hs_batch *b = &reply->scratch;
  if (hs_add_index_check(b, r->table, error) != 0) return -1;
  if (hs_table_run(r->table, b, reply, error) != 0) return -1;
  if (hs_index_was(reply, r->table, r->parts, r->part_count))
    return hs_reply_select(reply, 0, error);
  hs_server_error(error, 2, hs_text("idxnum"));
  return -1;
}

/* Reads rows from the key on, with all columns of the spec. */
static int read_rows(hs_range *r, hs_query *q, hs_error *error) {
  q->key = r->key;
  q->key_count = r->key_count;
  hs_batch *b = &r->reply->scratch;
  hs_batch_clear(b);
  if (hs_add_read(b, r->table, r->spec, q, "range", error) != 0) return -1;
  return run(r, r->reply, error);
}

static int count_rows(const hs_range *r, const hs_query *q, hs_reply *reply, uint64_t *rows,
                      hs_error *error) {
  hs_batch_clear(&reply->scratch);
  if (hs_add_find(&reply->scratch, r->table, NULL, 0, q, "C", NULL, "range", error) != 0) return -1;
  return run(r, reply, error) == 0 ? hs_reply_number(reply, rows, error) : -1;
}

static int is_type(const hs_part *part, const char *type) {
  return strncmp(part->type, type, strlen(type)) == 0;
}

/* What sorts first in a column without NULL, or the empty text. */
static hs_value lowest_of(const hs_part *part) {
  hs_kind kind = hs_kind_of(part->type);
  if (kind == HS_KIND_INTEGER || kind == HS_KIND_FLOAT || kind == HS_KIND_DECIMAL)
    return hs_text("-1e309");
  if (kind == HS_KIND_DATE) return hs_text("0000-00-00");
  if (kind == HS_KIND_DATETIME) return hs_text("0000-00-00 00:00:00");
  if (kind == HS_KIND_TIME) return hs_text("-838:59:59.999999");
  if (is_type(part, "uuid")) return hs_text("00000000-0000-0000-0000-000000000000");
  if (is_type(part, "inet4")) return hs_text("0.0.0.0");
  return hs_text(is_type(part, "inet6") ? "::" : "");
}

/* Texts that begin with control characters may sort before the empty one: then the key is that of the
   first of them. */
static int go_to_first_text(hs_range *r, hs_error *error) {
  uint64_t rows = 0;
  hs_query below = {.op = "<", .key = r->key, .key_count = 1};
  while (count_rows(r, &below, r->reply, &rows, error) == 0) {
    if (rows == 0) return 0;
    hs_query last = {.op = "<", .limit = 1, .offset = (int64_t)rows - 1};
    if (read_rows(r, &last, error) != 0) return -1;
    if (hs_reply_rows(r->reply) != 0) set_key(r, 0, part_value(r, 0, 0));
    if (r->owned[r->filter_count].failed) return hs_no_memory(error);
  }
  return -1;
}

/* A key with which the index begins. A NULL sorts first, but finds nothing where there can be none. */
static int begin_lowest(hs_range *r, const hs_column *column, hs_error *error) {
  if (r->parts[0].backward)
    return hs_fail(error, HS_VALUE, "a range over a descending index needs its beginning");
  r->key_count = 1;
  set_key(r, 0, column->nullable ? hs_null() : lowest_of(&r->parts[0]));
  int is_text = column->kind == HS_KIND_TEXT && !column->nullable && r->key[0].len == 0;
  return is_text ? go_to_first_text(r, error) : 0;
}

static int set_up(hs_range *r, const hs_bounds *b, hs_error *error) {
  hs_layout *layout;
  r->filter_count = b->filter_count + (b->stop != NULL);
  r->filters = calloc(r->filter_count + 1, sizeof *r->filters);
  r->owned = calloc(r->filter_count + r->part_count, sizeof *r->owned);
  r->key = calloc(r->part_count, sizeof *r->key);
  r->places = calloc(r->part_count, sizeof *r->places);
  r->reply = hs_reply_new();
  if (!r->filters || !r->owned || !r->key || !r->places || !r->reply || set_filters(r, b) != 0)
    return hs_no_memory(error);
  if (hs_layout_needed(r->table, &layout, error) != 0 || set_spec(r, error) != 0) return -1;
  const hs_column *first = hs_layout_column(layout, hs_text(r->parts[0].column));
  if (b->start == NULL)
    return first != NULL ? begin_lowest(r, first, error)
                         : hs_fail(error, HS_VALUE, "a range over this index needs its beginning");
  r->key_count = b->start_count;
  for (size_t i = 0; i < b->start_count; i++) set_key(r, i, b->start[i]);
  return 0;
}

hs_range *hs_range_new(hs_table *table, const hs_bounds *b, hs_error *error) {
  const hs_part *parts = NULL;
  size_t part_count = 0;
  if (b->page < 0 || b->page > UINT32_MAX) {
    (void)hs_fail(error, HS_VALUE, "a page is not from 1 to 4294967295 rows");
    return NULL;
  }
  if (b->reverse && b->start == NULL) {
    (void)hs_fail(error, HS_VALUE, "a range that goes downwards needs its beginning");
    return NULL;
  }
  if (hs_layout_anew(table, error) != 0) return NULL; /* the index may be a new one */
  if (hs_index_parts(table, &parts, &part_count, error) != 0) return NULL;
  if (b->start != NULL && (b->start_count == 0 || b->start_count > part_count)) {
    (void)hs_fail(error, HS_VALUE, "the beginning has none, or more values than the index");
    return NULL;
  }
  hs_range *r = calloc(1, sizeof *r);
  if (r == NULL) {
    (void)hs_no_memory(error);
    return NULL;
  }
  r->table = table;
  r->parts = parts;
  r->part_count = part_count;
  r->page = b->page != 0 ? b->page : 1000;
  r->reverse = b->reverse != 0;
  r->op = r->reverse ? "<=" : ">=";
  if (set_up(r, b, error) == 0) return r;
  hs_range_free(r);
  return NULL;
}

static int same_value(hs_value a, hs_value b) {
  if (a.data == NULL || b.data == NULL) return a.data == b.data;
  return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static int same_rows(const hs_range *r, size_t a, size_t b) {
  for (size_t i = 0; i < r->part_count; i++)
    if (!same_value(part_value(r, a, i), part_value(r, b, i))) return 0;
  return 1;
}

static int row_is_key(const hs_range *r, size_t row) {
  if (r->key_count != r->part_count) return 0;
  for (size_t i = 0; i < r->part_count; i++)
    if (!same_value(part_value(r, row, i), r->key[i])) return 0;
  return 1;
}

/* No other row has this key. */
static int is_unique(const hs_range *r, size_t row) {
  for (size_t i = 0; i < r->part_count; i++)
    if (!r->parts[i].unique || part_value(r, row, i).data == NULL) return 0;
  return 1;
}

/* Whether a page can begin with a row's key. The text of a column of which the index has only a
   beginning, of a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell the
   place in the index. */
static int can_begin(const hs_range *r, size_t row) {
  for (size_t i = 0; i < r->part_count; i++) {
    if (r->parts[i].prefix != 0 || is_type(&r->parts[i], "float")) return 0;
    hs_value value = part_value(r, row, i);
    if (is_type(&r->parts[i], "timestamp") && value.len > 13 &&
        (memcmp(value.data + 11, "04", 2) < 0 || memcmp(value.data + 11, "21", 2) > 0))
      return 0;
  }
  return 1;
}

/* Whether two keys stand at the same place of the index. Where their bytes differ the server knows. */
static int server_equal(const hs_range *r, const hs_value *a, const hs_value *b, int *equal,
                        hs_error *error) {
  hs_reply *reply = hs_reply_new();
  hs_filter *filters = calloc(r->part_count + 1, sizeof *filters);
  uint64_t rows = 0;
  int bad = reply == NULL || filters == NULL ? hs_no_memory(error) : 0;
  for (size_t i = 0; !bad && i < r->part_count; i++)
    filters[i] = (hs_filter){r->parts[i].column, "=", b[i], 0};
  hs_query q = {.key = a,
                .key_count = r->part_count,
                .limit = 1,
                .filters = filters,
                .filter_count = r->part_count};
  if (!bad) bad = count_rows(r, &q, reply, &rows, error);
  *equal = rows != 0;
  free(filters);
  hs_reply_free(reply);
  return bad;
}

/* Counts the rows from the end of the page on that have the key of the last one, in runs of the same
   bytes. *whole: the page has no other. */
static int count_same(hs_range *r, int64_t *same, int *whole, hs_error *error) {
  size_t last = r->rows - 1, row = last;
  hs_list list;
  hs_value *keys = hs_list_make(&list, 2 * r->part_count, error), *other;
  if (keys == NULL) return -1;
  other = keys + r->part_count;
  for (size_t i = 0; i < r->part_count; i++) keys[i] = part_value(r, last, i);
  int bad = 0, equal = 1;
  *same = 1;
  while (!bad && equal && row > 0) {
    equal = same_rows(r, row - 1, row); /* of the run before, whose equality is known */
    if (!equal && r->has_same) {
      for (size_t i = 0; i < r->part_count; i++) other[i] = part_value(r, row - 1, i);
      bad = server_equal(r, keys, other, &equal, error);
    }
    if (!equal) break;
    row--;
    (*same)++;
  }
  *whole = equal && row == 0;
  hs_list_free(&list);
  return bad;
}

/* Whether the first row has the key with which the page began. */
static int begins_with_key(const hs_range *r, int *equal, hs_error *error) {
  *equal = row_is_key(r, 0);
  if (*equal || !r->has_same || r->key_count != r->part_count) return 0;
  hs_list list;
  hs_value *keys = hs_list_make(&list, r->part_count, error);
  if (keys == NULL) return -1;
  for (size_t i = 0; i < r->part_count; i++) keys[i] = part_value(r, 0, i);
  int bad = server_equal(r, keys, r->key, equal, error);
  hs_list_free(&list);
  return bad;
}

/* Sets where the next page begins, and how many rows of this one are given. */
static int advance(hs_range *r, hs_error *error) {
  size_t last = r->rows - 1;
  if (!can_begin(r, last)) {
    r->skip += (int64_t)r->rows; /* it begins where this one did */
    return 0;
  }
  int64_t same = 0;
  int whole = 0, unique = is_unique(r, last), again = 0;
  if (!unique && count_same(r, &same, &whole, error) != 0) return -1;
  if (whole && r->skip > 0 && begins_with_key(r, &again, error) != 0) return -1;
  if (!again) r->skip = 0;
  if (whole)
    r->skip += same;
  else
    r->rows -= (size_t)same;
  r->op = unique ? (r->reverse ? "<" : ">") : (r->reverse ? "<=" : ">=");
  r->key_count = r->part_count;
  for (size_t i = 0; i < r->part_count; i++) {
    set_key(r, i, part_value(r, last, i));
    if (r->owned[r->filter_count + i].failed) return hs_no_memory(error);
  }
  return 0;
}

static int read_page(hs_range *r, hs_error *error) {
  hs_query q = {.op = r->op,
                .limit = r->page,
                .offset = r->skip,
                .filters = r->filters,
                .filter_count = r->filter_count};
  if (read_rows(r, &q, error) != 0) return -1;
  r->rows = hs_reply_rows(r->reply);
  r->row = 0;
  r->ends = (int64_t)r->rows < r->page;
  return r->ends ? 0 : advance(r, error);
}

int hs_range_next(hs_range *r, hs_error *error) {
  if (r->row + 1 < r->rows) {
    r->row++;
    return 1;
  }
  if (r->ends) {
    r->row = r->rows;
    return 0;
  }
  if (read_page(r, error) != 0) {
    r->ends = 1;
    r->row = r->rows = 0;
    return -1;
  }
  return r->rows != 0;
}

hs_value hs_range_value(const hs_range *r, size_t column) {
  return column < r->given ? hs_reply_value(r->reply, r->row, column) : hs_null();
}
