#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

void hs_buf_free(hs_buf *buf) {
  free(buf->data);
  memset(buf, 0, sizeof *buf);
}

int hs_buf_reserve(hs_buf *buf, size_t more) {
  if (more <= buf->cap - buf->len) return 0;
  size_t cap = buf->cap != 0 ? buf->cap : 512;
  while (cap - buf->len < more) {
    if (cap > SIZE_MAX / 2) return -1;
    cap *= 2;
  }
  char *data = realloc(buf->data, cap);
  if (data == NULL) {
    buf->failed = 1;
    return -1;
  }
  buf->data = data;
  buf->cap = cap;
  return 0;
}

void hs_buf_add(hs_buf *buf, const void *data, size_t len) {
  if (len == 0 || hs_buf_reserve(buf, len) != 0) return;
  memcpy(buf->data + buf->len, data, len);
  buf->len += len;
}

void hs_buf_text(hs_buf *buf, const char *text) { hs_buf_add(buf, text, strlen(text)); }

void hs_buf_number(hs_buf *buf, uint64_t number) {
  char digits[24];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  hs_buf_add(buf, digits + at, sizeof digits - at);
}

void hs_buf_value(hs_buf *buf, hs_value value) {
  if (value.data == NULL) {
    hs_buf_add(buf, "\t\0", 2);
    return;
  }
  if (value.len > (SIZE_MAX - 1) / 2 || hs_buf_reserve(buf, 1 + 2 * value.len) != 0) {
    buf->failed = 1;
    return;
  }
  char *out = buf->data + buf->len;
  *out++ = '\t';
  for (size_t i = 0; i < value.len; i++) {
    unsigned char byte = (unsigned char)value.data[i];
    if (byte < 0x10) {
      *out++ = 1;
      byte = (unsigned char)(byte + 0x40);
    }
    *out++ = (char)byte;
  }
  buf->len = (size_t)(out - buf->data);
}

static int one_of(const char *word, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(word, *words) == 0) return 1;
  return 0;
}

static const char *const operators[] = {"=", "=<", ">", ">=", "<", "<=", NULL};
static const char *const comparisons[] = {"=", "!=", ">", ">=", "<", "<=", NULL};
static const char *const changes[] = {"U",  "D",  "+",  "-",  "U?", "D?",
                                      "+?", "-?", "U!", "+!", "-!", NULL};
static const char *const inserts[] = {"+",   "+I",  "+U",  "+R",  "+!",  "+I?",
                                      "+U?", "+R?", "+I!", "+U!", "+R!", NULL};

static void tab_number(hs_buf *out, uint64_t number) {
  hs_buf_add(out, "\t", 1);
  hs_buf_number(out, number);
}

static void add_values(hs_buf *out, const hs_value *values, size_t count) {
  for (size_t i = 0; i < count; i++) hs_buf_value(out, values[i]);
}

static int check_query(const hs_query *q, const char *op, hs_error *error) {
  if (!one_of(op, operators)) return hs_fail(error, HS_VALUE, "operator '%.20s' is unknown", op);
  if (q->key_count == 0) return hs_fail(error, HS_VALUE, "a key has one value at least");
  if (q->in_count != 0 && q->in_part >= q->key_count)
    return hs_fail(error, HS_VALUE, "the key part of IN is beyond the key");
  for (size_t i = 0; i < q->filter_count; i++) {
    if (q->filters[i].kind != 'F' && q->filters[i].kind != 'W')
      return hs_fail(error, HS_VALUE, "a filter is F or W");
    if (q->filters[i].op == NULL || !one_of(q->filters[i].op, comparisons))
      return hs_fail(error, HS_VALUE, "a filter's operator is unknown");
  }
  return 0;
}

/* A body that fails leaves the buffer as it was. */
static int finish(hs_buf *out, size_t before, hs_error *error) {
  if (!out->failed) return 0;
  out->len = before;
  out->failed = 0;
  return hs_fail(error, HS_VALUE, "no memory for the request");
}

int hs_encode_query(hs_buf *out, enum hs_form form, const hs_query *q, const char *change,
                    const hs_value *values, size_t count, hs_error *error) {
  const char *op = q->op != NULL ? q->op : "=";
  size_t before = out->len;
  if (check_query(q, op, error) != 0) return -1;
  if (form == HS_FORM_CHANGE && (change == NULL || !one_of(change, changes)))
    return hs_fail(error, HS_VALUE, "the change is unknown");
  hs_buf_add(out, "\t", 1);
  hs_buf_text(out, op);
  tab_number(out, q->key_count);
  add_values(out, q->key, q->key_count);
  int all = form != HS_FORM_FIND || q->in_count != 0 || q->filter_count != 0;
  uint32_t limit = q->limit != 0 || form == HS_FORM_COUNT ? q->limit : 1;
  if (all || limit != 1 || q->offset != 0) tab_number(out, limit);
  if (all || q->offset != 0) tab_number(out, q->offset);
  if (q->in_count != 0) {
    hs_buf_text(out, q->in_all ? "\t&" : "\t@");
    tab_number(out, q->in_part);
    tab_number(out, q->in_count);
    add_values(out, q->in, q->in_count);
  }
  for (size_t i = 0; i < q->filter_count; i++) {
    const char kind[] = {'\t', q->filters[i].kind, '\t'};
    hs_buf_add(out, kind, sizeof kind);
    hs_buf_text(out, q->filters[i].op);
    tab_number(out, q->filters[i].column);
    hs_buf_value(out, q->filters[i].value);
  }
  if (form == HS_FORM_COUNT) hs_buf_text(out, "\tC");
  if (form == HS_FORM_CHANGE) {
    hs_buf_add(out, "\t", 1);
    hs_buf_text(out, change);
    add_values(out, values, count);
  }
  hs_buf_add(out, "\n", 1);
  return finish(out, before, error);
}

int hs_encode_insert(hs_buf *out, const char *verb, const hs_value *values, size_t count,
                     const hs_value *update, size_t update_count, hs_error *error) {
  size_t before = out->len;
  if (verb == NULL || !one_of(verb, inserts))
    return hs_fail(error, HS_VALUE, "the kind of insert is unknown");
  if (update != NULL && verb[1] != 'U')
    return hs_fail(error, HS_VALUE, "only +U has values for an update");
  if (count == 0) return hs_fail(error, HS_VALUE, "an insert has one value at least");
  hs_buf_add(out, "\t", 1);
  hs_buf_text(out, verb);
  tab_number(out, count);
  add_values(out, values, count);
  if (update != NULL) {
    tab_number(out, update_count);
    add_values(out, update, update_count);
  }
  hs_buf_add(out, "\n", 1);
  return finish(out, before, error);
}

int hs_check_name(const char *what, const char *name, hs_error *error) {
  if (name == NULL || *name == 0) return hs_fail(error, HS_VALUE, "%s has no name", what);
  if (strpbrk(name, "\t\n\r") != NULL)
    return hs_fail(error, HS_VALUE, "%s has a TAB, LF or CR in its name", what);
  return 0;
}

int hs_encode_open(hs_buf *out, const char *database, const char *table, const char *index,
                   const char *columns, const char *filter_columns, hs_error *error) {
  size_t before = out->len;
  if (hs_check_name("the database", database, error) != 0) return -1;
  if (hs_check_name("the table", table, error) != 0) return -1;
  if (index != NULL && *index != 0 && hs_check_name("the index", index, error) != 0) return -1;
  if (columns != NULL && *columns != 0 && hs_check_name("a column", columns, error) != 0) return -1;
  const char *parts[] = {database, table, index, columns, filter_columns};
  for (size_t i = 0; i < 5; i++) {
    if (i == 4 && (filter_columns == NULL || *filter_columns == 0)) break;
    if (i == 4 && hs_check_name("a filter column", filter_columns, error) != 0) {
      out->len = before;
      return -1;
    }
    hs_buf_add(out, "\t", 1);
    hs_buf_text(out, parts[i] != NULL ? parts[i] : "");
  }
  hs_buf_add(out, "\n", 1);
  return finish(out, before, error);
}

int hs_native_password(const char *password, const unsigned char *challenge, size_t len,
                       unsigned char out[20]) {
  unsigned char once[20], twice[20], mixed[20];
  const EVP_MD *sha1 = EVP_sha1();
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int good = context != NULL &&
             EVP_Digest(password, strlen(password), once, NULL, sha1, NULL) == 1 &&
             EVP_Digest(once, sizeof once, twice, NULL, sha1, NULL) == 1 &&
             EVP_DigestInit_ex(context, sha1, NULL) == 1 &&
             EVP_DigestUpdate(context, challenge, len) == 1 &&
             EVP_DigestUpdate(context, twice, sizeof twice) == 1 &&
             EVP_DigestFinal_ex(context, mixed, NULL) == 1;
  EVP_MD_CTX_free(context);
  for (size_t i = 0; good && i < sizeof mixed; i++) out[i] = (unsigned char)(once[i] ^ mixed[i]);
  return good ? 0 : -1;
}
