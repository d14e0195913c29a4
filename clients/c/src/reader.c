#include <stdlib.h>
#include <string.h>

#include "protocol.h"

void hs_reader_clear(hs_reader *r) {
  r->bytes.len = r->line = r->seen = r->span_count = r->answer_count = 0;
}

void hs_reader_free(hs_reader *r) {
  hs_buf_free(&r->bytes);
  free(r->spans);
  free(r->answers);
  memset(r, 0, sizeof *r);
}

hs_value hs_reader_value(const hs_reader *r, size_t span) {
  const hs_span *s = &r->spans[span];
  return s->at == SIZE_MAX ? hs_null() : hs_bytes(r->bytes.data + s->at, s->len);
}

/* Grows an array by one element. */
static int grow(void **array, size_t count, size_t *cap, size_t size) {
  if (count < *cap) return 0;
  size_t more = *cap != 0 ? *cap * 2 : 16;
  void *bigger = realloc(*array, more * size);
  if (bigger == NULL) return -1;
  *array = bigger;
  *cap = more;
  return 0;
}

/* Takes the escapes out of a token, in its place. -1: an escape that is none. */
static int unescape(char *data, size_t *len) {
  char *escape = memchr(data, 1, *len);
  if (escape == NULL) return 0;
  char *out = escape;
  for (const char *in = escape, *end = data + *len; in < end; in++) {
    if (*in != 1) {
      *out++ = *in;
      continue;
    }
    if (++in == end || (unsigned char)*in < 0x40 || (unsigned char)*in > 0x4f) return -1;
    *out++ = (char)(*in - 0x40);
  }
  *len = (size_t)(out - data);
  return 0;
}

/* A number of at most nine digits, up to a TAB or the end. -1: none. */
static long number(const char **at, const char *end) {
  const char *begin = *at;
  long result = 0;
  while (*at < end && **at >= '0' && **at <= '9' && *at - begin < 9)
    result = result * 10 + (*(*at)++ - '0');
  return *at == begin || (*at < end && **at != '\t') ? -1 : result;
}

static int add_value(hs_reader *r, char *token, size_t len) {
  hs_span span = {SIZE_MAX, 0};
  if (len != 1 || *token != 0) {
    if (unescape(token, &len) != 0) return -1;
    span.at = (size_t)(token - r->bytes.data);
    span.len = len;
  }
  if (grow((void **)&r->spans, r->span_count, &r->span_cap, sizeof span) != 0) return -1;
  r->spans[r->span_count++] = span;
  return 0;
}

/* One line without its LF. */
static int parse(hs_reader *r, char *line, char *end) {
  const char *at = line;
  hs_answer answer = {0, 0, r->span_count, 0};
  long code = number(&at, end);
  if (code < 0 || code > 255 || at == end) return -1;
  at++;
  long columns = number(&at, end);
  if (columns < 0) return -1;
  char *token = line + (at - line);
  while (token < end) { /* at a TAB */
    token++;
    char *tab = memchr(token, '\t', (size_t)(end - token));
    char *stop = tab != NULL ? tab : end;
    if (add_value(r, token, (size_t)(stop - token)) != 0) return -1;
    token = stop;
    if (r->max_values != 0 && r->span_count - answer.first > r->max_values) return -1;
  }
  answer.code = (int)code;
  answer.columns = (size_t)columns;
  answer.count = r->span_count - answer.first;
  if (code != 0 && (columns != 1 || answer.count != 1)) return -1;
  if (columns == 0 ? answer.count != 0 : answer.count % answer.columns != 0) return -1;
  if (grow((void **)&r->answers, r->answer_count, &r->answer_cap, sizeof answer) != 0) return -1;
  r->answers[r->answer_count++] = answer;
  return 0;
}

int hs_reader_took(hs_reader *r, size_t len, size_t wanted, hs_error *error) {
  size_t most = r->max_reply != 0 ? r->max_reply : (size_t)64 << 20;
  r->bytes.len += len;
  while (r->answer_count < wanted && r->seen < r->bytes.len) {
    char *data = r->bytes.data;
    char *lf = memchr(data + r->seen, '\n', r->bytes.len - r->seen);
    r->seen = lf != NULL ? (size_t)(lf - data) : r->bytes.len;
    if (r->seen - r->line >= most) return hs_fail(error, HS_PROTOCOL, "the reply is too long");
    if (lf == NULL) return 0;
    if (parse(r, data + r->line, lf) != 0) return hs_fail(error, HS_PROTOCOL, "this is no reply");
    r->line = ++r->seen;
  }
  return 0;
}
