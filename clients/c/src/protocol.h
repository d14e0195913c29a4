/* The protocol without sockets: bytes of requests, and a reader of replies. */
#ifndef HS_PROTOCOL_H
#define HS_PROTOCOL_H

#include "handlersocket2.h"

/* Bytes that grow. failed: there was no memory, and what was added since is not there. */
typedef struct hs_buf {
  char *data;
  size_t len, cap;
  int failed;
} hs_buf;

void hs_buf_free(hs_buf *buf);
int hs_buf_reserve(hs_buf *buf, size_t more); /* 0, or -1 */
void hs_buf_add(hs_buf *buf, const void *data, size_t len);
void hs_buf_text(hs_buf *buf, const char *text);
void hs_buf_number(hs_buf *buf, uint64_t number);
void hs_buf_value(hs_buf *buf, hs_value value); /* escaped, behind a TAB */

/* Bodies of requests: what stands behind the index id, with the LF. 0, or -1 with a HS_VALUE. */
enum hs_form { HS_FORM_FIND, HS_FORM_COUNT, HS_FORM_CHANGE };
int hs_encode_query(hs_buf *out, enum hs_form form, const hs_query *query, const char *change,
                    const hs_value *values, size_t count, hs_error *error);
int hs_encode_insert(hs_buf *out, const char *verb, const hs_value *values, size_t count,
                     const hs_value *update, size_t update_count, hs_error *error);
/* "\tdatabase\ttable\tindex\tcolumns[\tfilter columns]\n" */
int hs_encode_open(hs_buf *out, const char *database, const char *table, const char *index,
                   const char *columns, const char *filter_columns, hs_error *error);
int hs_check_name(const char *what, const char *name, hs_error *error);

/* The answer of mysql_native_password: 20 bytes. password is not empty. */
int hs_native_password(const char *password, const unsigned char *challenge, size_t len,
                       unsigned char out[20]);

typedef struct hs_span {
  size_t at, len; /* at SIZE_MAX: NULL */
} hs_span;

typedef struct hs_answer {
  int code;
  size_t columns, first, count; /* values first .. first + count - 1 */
} hs_answer;

/* Takes bytes in any pieces and collects answers. Zeroed is empty. */
typedef struct hs_reader {
  hs_buf bytes;
  size_t line, seen; /* where the line begins that is not whole, and what was looked at */
  hs_span *spans;
  size_t span_count, span_cap;
  hs_answer *answers;
  size_t answer_count, answer_cap;
  size_t max_reply; /* 0: 64 MiB */
} hs_reader;

void hs_reader_clear(hs_reader *reader);
void hs_reader_free(hs_reader *reader);
/* Bytes stand behind bytes.data + bytes.len, and are len more now. -1: no reply of the protocol.
   Stops behind `wanted` answers; what comes then is left in bytes. */
int hs_reader_took(hs_reader *reader, size_t len, size_t wanted, hs_error *error);
hs_value hs_reader_value(const hs_reader *reader, size_t span);

int hs_fail(hs_error *error, hs_error_class kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fills in the error of an error reply. */
void hs_server_error(hs_error *error, int code, hs_value text);

#endif
