/* Requests that have an index id. */
#include <string.h>

#include "protocol.h"

static int one_of(const char *word, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(word, *words) == 0) return 1;
  return 0;
}

static const char *const operators[] = {"=", "=<", ">", ">=", "<", "<=", NULL};
static const char *const comparisons[] = {"=", "!=", ">", ">=", "<", "<=", NULL};
static const char *const verbs[] = {"",   "C",  "U",  "D",  "+",  "-",  "U?",
                                    "D?", "+?", "-?", "U!", "+!", "-!", NULL};
static const char *const inserts[] = {"+",   "+I",  "+U",  "+R",  "+!",  "+I?",
                                      "+U?", "+R?", "+I!", "+U!", "+R!", NULL};

const char *hs_comparison(const char *op) {
  const char *const *at = comparisons;
  while (*at != NULL && (op == NULL || strcmp(op, *at) != 0)) at++;
  return *at;
}

static void tab_number(hs_buf *out, uint64_t number) {
  hs_buf_add(out, "\t", 1);
  hs_buf_number(out, number);
}

static void add_values(hs_buf *out, const hs_value *values, size_t count) {
  for (size_t i = 0; i < count; i++) hs_buf_value(out, values[i]);
}

/* What fails leaves the buffer as it was. */
static int finish(hs_buf *out, size_t before, int bad, hs_error *error) {
  if (!bad && out->failed == HS_NO_NUMBER)
    bad = hs_fail(error, HS_VALUE, "infinities and NaN cannot be sent");
  if (!bad && out->failed) bad = hs_no_memory(error);
  if (bad) {
    out->len = before;
    out->failed = 0;
  }
  return bad;
}

static int check_number(const char *what, int64_t number, hs_error *error) {
  if (number >= 0 && number <= UINT32_MAX) return 0;
  return hs_fail(error, HS_VALUE, "%s is not from 0 to 4294967295", what);
}

int hs_put_id(hs_buf *out, int64_t id, hs_error *error) {
  size_t before = out->len;
  if (check_number("an index id", id, error) != 0) return -1;
  hs_buf_number(out, (uint64_t)id);
  return finish(out, before, 0, error);
}

static int check_find(const hs_find_line *f, hs_error *error) {
  if (!one_of(f->op, operators))
    return hs_fail(error, HS_VALUE, "'%.20s' is no operator of a find", f->op);
  if (!one_of(f->verb, verbs)) return hs_fail(error, HS_VALUE, "'%.20s' is no change", f->verb);
  if (f->key_count == 0) return hs_fail(error, HS_VALUE, "a key has one value at least");
  if (check_number("a limit", f->limit, error) != 0) return -1;
  if (check_number("an offset", f->offset, error) != 0) return -1;
  if (f->in_part >= 0 && (uint64_t)f->in_part >= f->key_count)
    return hs_fail(error, HS_VALUE, "the column of IN is behind the key");
  if (f->in_part >= 0 && f->in_count == 0)
    return hs_fail(error, HS_VALUE, "a list of values for a key has one value at least");
  for (size_t i = 0; i < f->filter_count; i++)
    if (hs_comparison(f->filters[i].op) == NULL)
      return hs_fail(error, HS_VALUE, "a filter has no such operator");
  if (f->value_count != 0 && (*f->verb == 'C' || *f->verb == 'D'))
    return hs_fail(error, HS_VALUE, "%s takes no values", f->verb);
  return 0;
}

int hs_put_find(hs_buf *out, const hs_find_line *find, hs_error *error) {
  const hs_find_line *f = find;
  size_t before = out->len;
  if (check_find(f, error) != 0) return -1;
  hs_buf_add(out, "\t", 1);
  hs_buf_text(out, f->op);
  tab_number(out, f->key_count);
  add_values(out, f->key, f->key_count);
  int all = *f->verb != 0 || f->in_part >= 0 || f->filter_count != 0;
  if (all || f->limit != 1 || f->offset != 0) tab_number(out, (uint64_t)f->limit);
  if (all || f->offset != 0) tab_number(out, (uint64_t)f->offset);
  if (f->in_part >= 0) {
    hs_buf_text(out, f->in_all ? "\t&" : "\t@");
    tab_number(out, (uint64_t)f->in_part);
    tab_number(out, f->in_count);
    add_values(out, f->in, f->in_count);
  }
  for (size_t i = 0; i < f->filter_count; i++) {
    hs_buf_text(out, f->filters[i].ends ? "\tW\t" : "\tF\t");
    hs_buf_text(out, f->filters[i].op);
    tab_number(out, f->filter_places[i]);
    hs_buf_value(out, f->filters[i].value);
  }
  if (*f->verb != 0) {
    hs_buf_add(out, "\t", 1);
    hs_buf_text(out, f->verb);
    add_values(out, f->values, f->value_count);
  }
  hs_buf_add(out, "\n", 1);
  return finish(out, before, 0, error);
}

int hs_put_insert(hs_buf *out, const hs_insert_line *line, hs_error *error) {
  size_t before = out->len;
  if (!one_of(line->verb, inserts))
    return hs_fail(error, HS_VALUE, "'%.20s' is no kind of an insert", line->verb);
  if (line->update != NULL && line->verb[1] != 'U')
    return hs_fail(error, HS_VALUE, "%s takes no values for an update", line->verb);
  hs_buf_add(out, "\t", 1);
  hs_buf_text(out, line->verb);
  tab_number(out, line->value_count);
  add_values(out, line->values, line->value_count);
  if (line->update != NULL) {
    tab_number(out, line->update_count);
    add_values(out, line->update, line->update_count);
  }
  hs_buf_add(out, "\n", 1);
  return finish(out, before, 0, error);
}

/* What would need an escape is no name: in P it would not even be read. */
static int add_name(hs_buf *out, const char *what, hs_value name, hs_error *error) {
  for (size_t i = 0; i < name.len; i++)
    if ((unsigned char)name.data[i] < 0x10)
      return hs_fail(error, HS_VALUE, "%s has a control character", what);
  hs_buf_add(out, name.data, name.len);
  return 0;
}

static int add_columns(hs_buf *out, const hs_value *names, size_t count, hs_error *error) {
  hs_buf_add(out, "\t", 1);
  for (size_t i = 0; i < count; i++) {
    if (names[i].len == 0 || memchr(names[i].data, ',', names[i].len) != NULL)
      return hs_fail(error, HS_VALUE, "'%.*s' is no name of a column here",
                     (int)(names[i].len < 80 ? names[i].len : 80), names[i].data);
    if (i != 0) hs_buf_add(out, ",", 1);
    if (add_name(out, "the name of a column", names[i], error) != 0) return -1;
  }
  return 0;
}

static int add_open(hs_buf *out, const hs_open *o, hs_error *error) {
  if (o->database.len == 0 || o->table.len == 0)
    return hs_fail(error, HS_VALUE, "a table has a name and a database: database.table");
  hs_buf_add(out, "\t", 1);
  if (add_name(out, "the name of a database", o->database, error) != 0) return -1;
  hs_buf_add(out, "\t", 1);
  if (add_name(out, "the name of a table", o->table, error) != 0) return -1;
  hs_buf_add(out, "\t", 1);
  if (add_name(out, "the name of an index", o->index, error) != 0) return -1;
  if (add_columns(out, o->columns, o->column_count, error) != 0) return -1;
  return o->filter_count != 0 ? add_columns(out, o->filters, o->filter_count, error) : 0;
}

int hs_put_open(hs_buf *out, const hs_open *open, hs_error *error) {
  size_t before = out->len;
  int bad = add_open(out, open, error);
  hs_buf_add(out, "\n", 1);
  return finish(out, before, bad, error);
}
