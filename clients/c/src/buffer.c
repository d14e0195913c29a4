/* Bytes that grow, and values as tokens. */
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
    if (cap > SIZE_MAX / 2) {
      buf->failed = 1;
      return -1;
    }
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
  char digits[HS_NUMBER];
  const hs_value text = hs_uint64(number, digits);
  hs_buf_add(buf, text.data, text.len);
}

void hs_buf_value(hs_buf *buf, hs_value value) {
  if (value.data == NULL) {
    hs_buf_add(buf, "\t\0", 2);
    return;
  }
  if (value.data == hs_no_number) {
    buf->failed = HS_NO_NUMBER;
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
