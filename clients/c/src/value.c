#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlersocket2.h"

hs_value hs_bytes(const void *data, size_t len) {
  return (hs_value){data != NULL ? data : "", len};
}

hs_value hs_null(void) { return (hs_value){NULL, 0}; }

hs_value hs_text(const char *text) {
  return text != NULL ? hs_bytes(text, strlen(text)) : hs_null();
}

hs_value hs_int64(int64_t number, char buffer[24]) {
  return hs_bytes(buffer, (size_t)snprintf(buffer, 24, "%" PRId64, number));
}

/* The value as C text without blanks, which strto... would skip. */
static int copy(hs_value value, char *out, size_t size) {
  if (value.data == NULL || value.len == 0 || value.len >= size) return -1;
  memcpy(out, value.data, value.len);
  out[value.len] = 0;
  return strlen(out) == value.len && strpbrk(out, " \t\n\v\f\r") == NULL ? 0 : -1;
}

int hs_value_int64(hs_value value, int64_t *out) {
  char text[32], *end;
  if (copy(value, text, sizeof text) != 0) return -1;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (errno != 0 || *end != 0) return -1;
  *out = number;
  return 0;
}

int hs_value_uint64(hs_value value, uint64_t *out) {
  char text[32], *end;
  if (copy(value, text, sizeof text) != 0 || *text == '-') return -1;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno != 0 || *end != 0) return -1;
  *out = number;
  return 0;
}

int hs_value_double(hs_value value, double *out) {
  char text[512], *end;
  if (copy(value, text, sizeof text) != 0) return -1;
  double number = strtod(text, &end);
  if (*end != 0) return -1;
  *out = number;
  return 0;
}
