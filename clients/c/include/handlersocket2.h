/* SPDX-License-Identifier: see LICENSE
   The C client of HandlerSocket 2. Its page: clients/c/README.md; the protocol: docs/protocol.md.

   Rules that hold everywhere:
   - A function that returns int returns 0, or -1 with *error filled in. error may be NULL.
   - A client and a table may be used by many threads at once. So may a transaction: it carries out one
     call at a time, and the others wait for their turn. No call may be under way when it is ended, which
     frees it. A reply, a batch and a range are for one thread at a time.
   - A child of fork() makes a client of its own. It may not use or close that of its parent.
   - Pointers to values in a reply hold until that reply is used for another call or freed.
   - What a function takes by pointer it copies or only reads during the call. */
#ifndef HANDLERSOCKET2_H
#define HANDLERSOCKET2_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HS_API __attribute__((visibility("default")))
#else
#define HS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HS_VERSION "2.0.0"

typedef enum hs_error_class {
  HS_OK = 0,
  HS_CONFIGURATION, /* an option, before anything is sent */
  HS_VALUE,         /* a value, name or number that cannot be sent; or there is no memory */
  HS_CONNECTION,    /* no connection, or it broke */
  HS_TIMEOUT,       /* it took too long; a connection error, too */
  HS_PROTOCOL,      /* what came is no reply; a connection error, too */
  HS_UNSUPPORTED,   /* the server has not this feature */
  HS_SERVER,        /* an error reply that is none of those below */
  HS_DUPLICATE_KEY,
  HS_LOCK_TIMEOUT,
  HS_DEADLOCK,
  HS_TRANSACTION_LOST,
  HS_FOREIGN_KEY,
  HS_CONSTRAINT,
  HS_NOT_FOUND,
  HS_READ_ONLY,
  HS_AUTHENTICATION,
  HS_ACCESS_DENIED,
  HS_OVERLOADED,
  HS_UNAVAILABLE
} hs_error_class;

typedef struct hs_error {
  hs_error_class kind;
  int code;       /* of the server: 1, 2 or 3; else 0 */
  int number;     /* of SQL, for sql_... and access_denied; else 0 */
  int sent;       /* of a connection error: the request may have been carried out */
  char text[512]; /* as the server sent it, cut to fit; or what went wrong here */
} hs_error;

/* The name of the class in clients/README.md, such as "DuplicateKeyError". */
HS_API const char *hs_error_name(hs_error_class kind);
/* What the server's text means, in words for people; "" where the text says it itself. */
HS_API const char *hs_error_hint(const hs_error *error);

/* Bytes with a length. data is NULL for the SQL NULL. */
typedef struct hs_value {
  const char *data;
  size_t len;
} hs_value;

enum { HS_NUMBER = 32 }; /* bytes for the text of a number */

HS_API hs_value hs_null(void);
HS_API hs_value hs_text(const char *text); /* up to its NUL; NULL is NULL */
HS_API hs_value hs_bytes(const void *data, size_t len);
/* A number as text in buffer, which the caller keeps as long as the value. That of a double is the
   shortest that reads back the same. Infinities and NaN have none: what a request with their value
   gives is a HS_VALUE error, and nothing is sent. */
HS_API hs_value hs_int64(int64_t number, char buffer[HS_NUMBER]);
HS_API hs_value hs_uint64(uint64_t number, char buffer[HS_NUMBER]);
HS_API hs_value hs_double(double number, char buffer[HS_NUMBER]);
/* 0, or -1 when the value is NULL, no number, or out of range. */
HS_API int hs_value_int64(hs_value value, int64_t *out);
HS_API int hs_value_uint64(hs_value value, uint64_t *out);
HS_API int hs_value_double(hs_value value, double *out);

/* As what a column's values come: see "Values" in clients/README.md. */
typedef enum hs_kind {
  HS_KIND_TEXT = 0,
  HS_KIND_INTEGER,
  HS_KIND_FLOAT,
  HS_KIND_DECIMAL,
  HS_KIND_DATE,
  HS_KIND_DATETIME,
  HS_KIND_TIME,
  HS_KIND_BYTES
} hs_kind;

/* Of a type as D has it, such as "int(10) unsigned". What is unknown is text. */
HS_API hs_kind hs_kind_of(const char *type);

typedef struct hs_column {
  const char *name; /* lives as long as the client */
  hs_kind kind;     /* HS_KIND_TEXT, too, where the server does not tell */
  int is_unsigned, nullable;
} hs_column;

typedef struct hs_client hs_client;           /* pools of connections */
typedef struct hs_table hs_table;             /* a table, its index and the columns of reads */
typedef struct hs_reply hs_reply;             /* answers, with the memory of their values */
typedef struct hs_batch hs_batch;             /* requests that go in one piece: a pipeline */
typedef struct hs_range hs_range;             /* an iterator over rows */
typedef struct hs_transaction hs_transaction; /* a connection of its own */

/* url: hs://... or hs+unix://...; NULL means HS_URL, else the defaults. The options are in
   clients/README.md. Opens no connection. Returns NULL on error. Freed by hs_close, when no table,
   batch, range or transaction of it is used any more. */
HS_API hs_client *hs_connect(const char *url, hs_error *error);
HS_API void hs_close(hs_client *client);
/* Opens a connection to the read port, if there is none, and gets an answer. */
HS_API int hs_ping(hs_client *client, hs_error *error);

/* Is called for every request when its call has ended, in the thread that made it. kind is the
   call's name ("find", "insert", ...); table is "" where there is none; error is NULL when it went
   well. It returns in any case: nothing may be thrown or jumped through the client. Set it before the
   client is shared. */
typedef void (*hs_hook)(void *argument, const char *kind, const char *table, double seconds,
                        const hs_error *error);
HS_API void hs_set_hook(hs_client *client, hs_hook hook, void *argument);

/* name: "database.table", or a table of the URL's database. index: NULL is PRIMARY. columns: those
   that reads give, column_count of them; with 0 all, by D. The columns' types are asked for once, at
   the first use; not so when raw is not 0. Nothing is sent here. Freed by hs_table_free, before its
   client. */
HS_API hs_table *hs_table_new(hs_client *client, const char *name, const char *index,
                              const char *const *columns, size_t column_count, int raw,
                              hs_error *error);
HS_API void hs_table_free(hs_table *table);
/* The columns that reads give. *columns lives as long as the client. */
HS_API int hs_table_columns(hs_table *table, const hs_column **columns, size_t *count,
                            hs_error *error);
/* Has the columns asked for anew at the next use: for a program that finds that the table has been
   altered. Happens by itself after an answer that is a HS_NOT_FOUND. */
HS_API void hs_table_forget(hs_table *table);

/* A reply may be used for any number of calls, one after the other, and keeps its memory. NULL when
   there is no memory. */
HS_API hs_reply *hs_reply_new(void);
HS_API void hs_reply_free(hs_reply *reply);
/* Gives the memory back, values and all, where the reply keeps more than so many bytes. */
HS_API void hs_reply_trim(hs_reply *reply, size_t most);
/* Of the answer that is selected: the first one, unless hs_reply_select has chosen another. */
HS_API size_t hs_reply_rows(const hs_reply *reply);
HS_API size_t hs_reply_columns(const hs_reply *reply);
/* NULL, too, beyond the last row or column. */
HS_API hs_value hs_reply_value(const hs_reply *reply, size_t row, size_t column);
/* The column's name and kind; -1 where the answer is not that of a table, or has no such column. */
HS_API int hs_reply_column(const hs_reply *reply, size_t column, hs_column *out);
/* The number with which a count or a change is answered: rows. */
HS_API int hs_reply_number(const hs_reply *reply, uint64_t *rows, hs_error *error);
/* How many answers there are: one for each request of a batch. */
HS_API size_t hs_reply_count(const hs_reply *reply);
/* Selects an answer; -1 and its error when it is one. */
HS_API int hs_reply_select(hs_reply *reply, size_t answer, hs_error *error);

typedef struct hs_filter {
  const char *column, *op; /* op: = != > >= < <= */
  hs_value value;          /* NULL equals NULL and is less than all else */
  int ends;                /* 0: a row that fails is skipped; 1: the search ends there */
} hs_filter;

/* All zero but the key is a find of one row with this key. */
typedef struct hs_query {
  const char *op; /* = =< > >= < <= ; NULL is = */
  const hs_value *key;
  size_t key_count;
  int64_t limit;         /* 0: one row; in a count: no limit. At most 4294967295, as the offset */
  int64_t offset;        /* rows to skip first */
  const char *in_column; /* a column of the index: each value takes its place in the key; or NULL */
  const hs_value *in;
  size_t in_count;
  int in_all; /* all rows of each value, limit and offset for each; 0: one row for each value */
  const hs_filter *filters;
  size_t filter_count;
} hs_query;

/* A value with its column's name: a part of a row. */
typedef struct hs_field {
  const char *name;
  hs_value value;
} hs_field;

/* The row with this key; hs_reply_rows(reply) is 0 when there is none. */
HS_API int hs_get(hs_table *table, const hs_value *key, size_t key_count, hs_reply *reply,
                  hs_error *error);
/* An answer with a row or none for each key, in one piece. keys: count times key_count values. */
HS_API int hs_get_many(hs_table *table, const hs_value *keys, size_t key_count, size_t count,
                       hs_reply *reply, hs_error *error);
HS_API int hs_find(hs_table *table, const hs_query *query, hs_reply *reply, hs_error *error);
HS_API int hs_count(hs_table *table, const hs_query *query, hs_reply *reply, uint64_t *rows,
                    hs_error *error);
HS_API int hs_exists(hs_table *table, const hs_value *key, size_t key_count, hs_reply *reply,
                     int *exists, hs_error *error);

/* change: "U" sets the fields, "D" deletes, "+" and "-" add and subtract integers; "-" does not
   cross zero. Without more the answer is hs_reply_number: how many rows. With ? behind it the
   answer is the rows as they were before, with ! as they are afterwards: of the fields' columns,
   and of the table's for "D?". */
HS_API int hs_change(hs_table *table, const hs_query *query, const char *change,
                     const hs_field *fields, size_t count, hs_reply *reply, hs_error *error);
/* Sets fields of the row with this key if it is as expected. *was tells whether it was. To expect
   nothing is an error. */
HS_API int hs_compare_and_set(hs_table *table, const hs_value *key, size_t key_count,
                              const hs_field *expected, size_t expected_count,
                              const hs_field *fields, size_t count, hs_reply *reply, int *was,
                              hs_error *error);

/* What an insert did. */
typedef enum hs_did { HS_UNCHANGED = 0, HS_INSERTED, HS_UPDATED } hs_did;
typedef struct hs_added {
  hs_did did;
  uint64_t replaced; /* rows that +R has replaced */
  uint64_t id;       /* the generated one, or that of the row that +U has updated; else 0 */
} hs_added;

/* verb: "+" inserts; "+I" inserts if no row with the same value in a unique index is there; "+U"
   then updates that row; "+R" replaces it. The answer is hs_reply_added. With ? behind the last
   three the answer is the rows that were there, with ! behind any the row afterwards: the columns of
   the row, then those of the table. update: for +U, columns of the row and what they are set to;
   NULL: to the row's values. */
HS_API int hs_insert(hs_table *table, const char *verb, const hs_field *row, size_t count,
                     const hs_field *update, size_t update_count, hs_reply *reply, hs_error *error);
/* Of the selected answer to an insert without ? and !. */
HS_API int hs_reply_added(const hs_reply *reply, hs_added *added, hs_error *error);

/* Rows from one key to another, read one page at a time. All zero: all rows, upwards. */
typedef struct hs_bounds {
  const hs_value *start; /* a key, or the values of its first columns; NULL: from the beginning */
  size_t start_count;
  const hs_value
      *stop;   /* the first value of the index's first column that is not wanted; or NULL */
  int reverse; /* downwards; needs start */
  const hs_filter *filters;
  size_t filter_count;
  int64_t page; /* rows of a page; 0: 1000 */
} hs_bounds;

/* Freed by hs_range_free, before its table. May ask for the columns and the index of the table. */
HS_API hs_range *hs_range_new(hs_table *table, const hs_bounds *bounds, hs_error *error);
HS_API void hs_range_free(hs_range *range);
/* 1: there is a row, 0: there are no more, -1: an error. */
HS_API int hs_range_next(hs_range *range, hs_error *error);
/* A column of this row, in the order of hs_table_columns; until the next hs_range_next. */
HS_API hs_value hs_range_value(const hs_range *range, size_t column);

/* Requests are copied into the batch, which may ask for the columns of a table at its first use. It
   goes to the write port when there is a change in it. NULL when there is no memory. */
HS_API hs_batch *hs_batch_new(hs_client *client);
HS_API void hs_batch_free(hs_batch *batch);
HS_API void hs_batch_clear(hs_batch *batch);
HS_API size_t hs_batch_size(const hs_batch *batch); /* its requests */
HS_API int hs_batch_find(hs_batch *batch, hs_table *table, const hs_query *query, hs_error *error);
HS_API int hs_batch_count(hs_batch *batch, hs_table *table, const hs_query *query, hs_error *error);
HS_API int hs_batch_change(hs_batch *batch, hs_table *table, const hs_query *query,
                           const char *change, const hs_field *fields, size_t count,
                           hs_error *error);
HS_API int hs_batch_insert(hs_batch *batch, hs_table *table, const char *verb, const hs_field *row,
                           size_t count, const hs_field *update, size_t update_count,
                           hs_error *error);
/* 0 when every request has an answer, be it an error: see hs_reply_select. After -1 the first
   hs_reply_count(reply) requests have theirs. An empty batch has none. The batch stays as it is. */
HS_API int hs_batch_run(hs_batch *batch, hs_reply *reply, hs_error *error);

/* isolation: RU, RC, RR, SR or NULL. A transaction that only reads is on the read port. It is freed
   by hs_commit and hs_rollback, whatever they return; its tables are freed before. After a hs_commit
   that fails nothing was kept, unless it is a connection error with sent. */
HS_API hs_transaction *hs_begin(hs_client *client, const char *isolation, int read_only,
                                hs_error *error);
/* The same table, with its calls inside of the transaction. Freed by hs_table_free. */
HS_API hs_table *hs_table_in(const hs_table *table, hs_transaction *transaction, hs_error *error);
HS_API int hs_transaction_run(hs_transaction *transaction, hs_batch *batch, hs_reply *reply,
                              hs_error *error);
/* A name has 1 to 256 bytes. */
HS_API int hs_savepoint(hs_transaction *transaction, const char *name, hs_error *error);
HS_API int hs_rollback_to(hs_transaction *transaction, const char *name, hs_error *error);
HS_API int hs_commit(hs_transaction *transaction, hs_error *error);
HS_API int hs_rollback(hs_transaction *transaction, hs_error *error);

/* The GTIDs of the client's last changes with commas between them, one for each of MariaDB's domains or
   of MySQL's UUIDs, in buffer, for which 4096 bytes are always enough; empty before the first. Changes of calls that have not ended do not count. */
HS_API int hs_last_gtid(hs_client *client, char *buffer, size_t size, hs_error *error);
/* *applied: whether they were within so many seconds (0 to 600) on the place that takes the reads. */
HS_API int hs_wait_for_gtid(hs_client *client, const char *gtid, double seconds, int *applied,
                            hs_error *error);
/* The forms of D in docs/protocol.md: database and table may be NULL. */
HS_API int hs_describe(hs_client *client, const char *database, const char *table, int indexes,
                       hs_reply *reply, hs_error *error);
/* One line of tokens, which are sent as they are; TAB and LF in one are a HS_VALUE error. An error
   reply is an answer, too: *code is 0 for none, and the text is then the only value. On the write
   port it is never sent again. It has any connection of the pool: P, T and A are not for it. */
HS_API int hs_raw(hs_client *client, int write_port, const hs_value *tokens, size_t count,
                  hs_reply *reply, int *code, hs_error *error);
/* The server's features with commas between them, in buffer; empty for the original. */
HS_API int hs_features(hs_client *client, char *buffer, size_t size, hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
