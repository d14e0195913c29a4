#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

hs_value hs_bytes(const void *data, size_t len) {
  return (hs_value){data != NULL ? data : "", len};
}

hs_value hs_null(void) { return (hs_value){NULL, 0}; }

hs_value hs_text(const char *text) {
  return text != NULL ? hs_bytes(text, strlen(text)) : hs_null();
}

int hs_is(hs_value value, const char *text) {
  return value.data != NULL && strlen(text) == value.len &&
         memcmp(text, value.data, value.len) == 0;
}

/* Keys are mostly integers, and printf takes several times as long. */
static hs_value write_number(uint64_t number, int negative, char buffer[HS_NUMBER]) {
  char digits[HS_NUMBER];
  size_t at = sizeof digits;
  digits[--at] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  if (negative) digits[--at] = '-';
  memcpy(buffer, digits + at, sizeof digits - at);
  return hs_bytes(buffer, sizeof digits - at - 1);
}

hs_value hs_int64(int64_t number, char buffer[HS_NUMBER]) {
  const uint64_t bits = (uint64_t)number;
  return write_number(number < 0 ? 0 - bits : bits, number < 0, buffer);
}

hs_value hs_uint64(uint64_t number, char buffer[HS_NUMBER]) {
  return write_number(number, 0, buffer);
}

/* A program may have set a locale with another decimal point. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain;
static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static locale_t use_plain(void) {
  (void)pthread_once(&once, make_plain);
  return plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
}

static void use_again(locale_t before) {
  if (before != (locale_t)0) (void)uselocale(before);
}

int hs_parse_double(const char *text, double *out) {
  char *end;
  locale_t before = use_plain();
  *out = strtod(text, &end);
  use_again(before);
  return end == text || *end != 0 ? -1 : 0;
}

const char hs_no_number[1] = "";

hs_value hs_double(double number, char buffer[HS_NUMBER]) {
  if (!isfinite(number)) return hs_bytes(hs_no_number, 0);
  int len = 0;
  locale_t before = use_plain();
  for (int digits = 15; digits <= 17; digits++) {
    len = snprintf(buffer, HS_NUMBER, "%.*g", digits, number);
    if (strtod(buffer, NULL) == number) break;
  }
  use_again(before);
  return hs_bytes(buffer, (size_t)len);
}

/* A sign, and then digits only. */
static int digits_of(hs_value value, int *negative, uint64_t *out) {
  const char *at = value.data, *end = at + value.len;
  *negative = at != NULL && at < end && *at == '-';
  at += *negative;
  if (value.data == NULL || at == end) return -1;
  uint64_t number = 0;
  for (; at < end; at++) {
    unsigned digit = (unsigned)(*at - '0');
    if (digit > 9 || number > (UINT64_MAX - digit) / 10) return -1;
    number = number * 10 + digit;
  }
  *out = number;
  return 0;
}

int hs_value_int64(hs_value value, int64_t *out) {
  int negative;
  uint64_t number;
  if (digits_of(value, &negative, &number) != 0) return -1;
  if (number > (uint64_t)INT64_MAX + (unsigned)negative) return -1;
  *out = negative && number != 0 ? -(int64_t)(number - 1) - 1 : (int64_t)number;
  return 0;
}

int hs_value_uint64(hs_value value, uint64_t *out) {
  int negative;
  return digits_of(value, &negative, out) == 0 && !negative ? 0 : -1;
}

int hs_value_double(hs_value value, double *out) {
  char text[512];
  if (value.data == NULL || value.len == 0 || value.len >= sizeof text) return -1;
  memcpy(text, value.data, value.len);
  text[value.len] = 0;
  /* Blanks, which strtod would skip, the names of infinities and a NUL within are no number. */
  if (strlen(text) != value.len || strspn(text, "+-.0123456789eE") != value.len) return -1;
  return hs_parse_double(text, out) == 0 && isfinite(*out) ? 0 : -1;
}

static const struct {
  const char *type;
  hs_kind kind;
} kinds[] = {
    {"tinyint", HS_KIND_INTEGER},    {"smallint", HS_KIND_INTEGER},
    {"mediumint", HS_KIND_INTEGER},  {"int", HS_KIND_INTEGER},
    {"bigint", HS_KIND_INTEGER},     {"year", HS_KIND_INTEGER},
    {"float", HS_KIND_FLOAT},        {"double", HS_KIND_FLOAT},
    {"decimal", HS_KIND_DECIMAL},    {"date", HS_KIND_DATE},
    {"datetime", HS_KIND_DATETIME},  {"timestamp", HS_KIND_DATETIME},
    {"time", HS_KIND_TIME},          {"binary", HS_KIND_BYTES},
    {"varbinary", HS_KIND_BYTES},    {"bit", HS_KIND_BYTES},
    {"tinyblob", HS_KIND_BYTES},     {"blob", HS_KIND_BYTES},
    {"mediumblob", HS_KIND_BYTES},   {"longblob", HS_KIND_BYTES},
    {"geometry", HS_KIND_BYTES},     {"point", HS_KIND_BYTES},
    {"linestring", HS_KIND_BYTES},   {"polygon", HS_KIND_BYTES},
    {"multipoint", HS_KIND_BYTES},   {"multilinestring", HS_KIND_BYTES},
    {"multipolygon", HS_KIND_BYTES}, {"geometrycollection", HS_KIND_BYTES},
};

hs_kind hs_kind_of(const char *type) {
  char word[32];
  size_t len = strcspn(type, "( ");
  if (len >= sizeof word) return HS_KIND_TEXT;
  for (size_t i = 0; i <= len; i++)
    word[i] = (char)(type[i] >= 'A' && type[i] <= 'Z' ? type[i] | 32 : type[i]);
  word[len] = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].type, word) == 0) return kinds[i].kind;
  return HS_KIND_TEXT;
}
