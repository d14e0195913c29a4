/* The protocol without sockets: bytes of requests, and a reader of replies. */
#ifndef HS_PROTOCOL_H
#define HS_PROTOCOL_H

#include "handlersocket2.h"

/* Bytes that grow. failed: there was no memory, or HS_NO_NUMBER, and what was added since is not there. */
typedef struct hs_buf {
  char *data;
  size_t len, cap;
  int failed;
} hs_buf;

enum { HS_NO_NUMBER = 2 };         /* an infinity or NaN was to be added */
extern const char hs_no_number[1]; /* data of the value of such a double */

void hs_buf_free(hs_buf *buf);
int hs_buf_reserve(hs_buf *buf, size_t more); /* 0, or -1 */
void hs_buf_add(hs_buf *buf, const void *data, size_t len);
void hs_buf_text(hs_buf *buf, const char *text);
void hs_buf_number(hs_buf *buf, uint64_t number);
void hs_buf_value(hs_buf *buf, hs_value value); /* escaped, behind a TAB */

/* Encoders. Each returns 0, or -1 with a HS_VALUE error; then the buffer is as it was. Lines end with
   their LF. */

/* "\tdatabase\ttable\tindex\tcolumns[\tfilter columns]\n": what stands behind P and the id */
typedef struct hs_open {
  hs_value database, table, index;
  const hs_value *columns, *filters;
  size_t column_count, filter_count;
} hs_open;
int hs_put_open(hs_buf *out, const hs_open *open, hs_error *error);

/* A find, a count ("C") or a change of what is found: what stands behind the id. */
typedef struct hs_find_line {
  const char *op, *verb; /* verb: "" for a find */
  const hs_value *key, *in, *values;
  size_t key_count, in_count, value_count;
  int64_t limit, offset, in_part; /* in_part: -1 without IN */
  int in_all;
  const hs_filter *filters;
  const size_t *filter_places; /* among the filter columns */
  size_t filter_count;
} hs_find_line;
int hs_put_find(hs_buf *out, const hs_find_line *find, hs_error *error);
/* The operator of a filter in memory that stays, or NULL when it is none. */
const char *hs_comparison(const char *op);

typedef struct hs_insert_line {
  const char *verb;
  const hs_value *values, *update; /* update: NULL for none */
  size_t value_count, update_count;
} hs_insert_line;
int hs_put_insert(hs_buf *out, const hs_insert_line *line, hs_error *error);

int hs_put_id(hs_buf *out, int64_t id, hs_error *error);
int hs_put_begin(hs_buf *out, const char *isolation, int read_only, hs_error *error);
int hs_put_savepoint(hs_buf *out, char what, hs_value name, hs_error *error); /* what: S or U */
int hs_put_wait_gtid(hs_buf *out, hs_value gtid, int64_t milliseconds, hs_error *error);
int hs_put_hello(hs_buf *out, int version, hs_value client, hs_error *error);
int hs_put_describe(hs_buf *out, hs_value database, hs_value table, int indexes, hs_error *error);
void hs_put_secret(hs_buf *out, hs_value secret);
void hs_put_login(hs_buf *out, hs_value user, const char *methods);
void hs_put_answer(hs_buf *out, const unsigned char *answer, size_t len);
void hs_put_password(hs_buf *out, hs_value user, hs_value password);

/* The answer of mysql_native_password: 20 bytes. password is not empty. */
int hs_native_password(hs_value password, const unsigned char *challenge, size_t len,
                       unsigned char out[20]);
/* The bytes of a text in hexadecimal, or -1 when it is none or longer than size. */
long hs_from_hex(hs_value hex, unsigned char *out, size_t size);

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
  size_t max_reply;  /* bytes with the LF; 0: 64 MiB */
  size_t max_values; /* of one reply; 0: any number. A span is larger than a value of no bytes */
} hs_reader;

void hs_reader_clear(hs_reader *reader);
void hs_reader_free(hs_reader *reader);
/* Bytes stand behind bytes.data + bytes.len, and are len more now. -1: no reply of the protocol.
   Stops behind `wanted` answers; what comes then is left in bytes. */
int hs_reader_took(hs_reader *reader, size_t len, size_t wanted, hs_error *error);
hs_value hs_reader_value(const hs_reader *reader, size_t span);

/* Fills the error in, and is -1. */
#define hs_fail(...) (hs_fill(__VA_ARGS__), -1)
#define hs_no_memory(error) hs_fail(error, HS_VALUE, "there is no memory")
void hs_fill(hs_error *error, hs_error_class kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "what: the text of errno" */
int hs_fail_system(hs_error *error, hs_error_class kind, const char *what, int number);
/* Fills in the error of an error reply. */
void hs_server_error(hs_error *error, int code, hs_value text);
int hs_is(hs_value value, const char *text);

/* strtod and its kin without the program's locale. -1: no number. */
int hs_parse_double(const char *text, double *out);

#endif
