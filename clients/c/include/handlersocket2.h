/* SPDX-License-Identifier: see LICENSE
   The C client of HandlerSocket 2. docs: clients/c/README.md; the protocol: docs/protocol.md.

   Rules that hold everywhere:
   - A function that returns int returns 0, or -1 with *error filled in. error may be NULL.
   - A client and a table may be used by many threads at once. A reply, a batch and a transaction
     are for one thread at a time.
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
  HS_VALUE,         /* a value, name or number that cannot be sent */
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

/* Bytes with a length. data is NULL for the SQL NULL. */
typedef struct hs_value {
  const char *data;
  size_t len;
} hs_value;

HS_API hs_value hs_null(void);
HS_API hs_value hs_text(const char *text); /* up to its NUL; NULL is NULL */
HS_API hs_value hs_bytes(const void *data, size_t len);
/* A number as text in buffer, which the caller keeps as long as the value. */
HS_API hs_value hs_int64(int64_t number, char buffer[24]);
/* 0, or -1 when the value is NULL, no number, or out of range. */
HS_API int hs_value_int64(hs_value value, int64_t *out);
HS_API int hs_value_uint64(hs_value value, uint64_t *out);
HS_API int hs_value_double(hs_value value, double *out);

typedef struct hs_client hs_client;           /* pools of connections */
typedef struct hs_table hs_table;             /* an index, its columns and filter columns */
typedef struct hs_reply hs_reply;             /* answers, with the memory of their values */
typedef struct hs_batch hs_batch;             /* requests that go in one piece */
typedef struct hs_transaction hs_transaction; /* a connection of its own */

/* url: hs://... or hs+unix://...; NULL means HS_URL, else the defaults. The options are in
   clients/README.md. Opens no connection. Returns NULL on error. Freed by hs_close, when no table,
   batch or transaction of it is used any more. */
HS_API hs_client *hs_connect(const char *url, hs_error *error);
HS_API void hs_close(hs_client *client);
HS_API int hs_ping(hs_client *client, hs_error *error);

/* Is called behind every request or batch, in the thread that made it. kind is "read", "write" or
   "transaction"; error is NULL when it went well. Set it before the client is shared. */
typedef void (*hs_hook)(void *argument, const char *kind, const char *table, double seconds,
                        const hs_error *error);
HS_API void hs_set_hook(hs_client *client, hs_hook hook, void *argument);

/* name: "database.table", or a table of the URL's database. columns and filter_columns: names with
   commas between them; filter_columns may be NULL. index NULL is PRIMARY. Nothing is sent. Freed by
   hs_table_free, before its client. */
HS_API hs_table *hs_table_new(hs_client *client, const char *name, const char *index,
                              const char *columns, const char *filter_columns, hs_error *error);
HS_API void hs_table_free(hs_table *table);

/* A reply may be used for any number of calls, one after the other, and keeps its memory. NULL when
   there is no memory. */
HS_API hs_reply *hs_reply_new(void);
HS_API void hs_reply_free(hs_reply *reply);
/* Of the answer that is selected: the first one, unless hs_reply_select has chosen another. */
HS_API size_t hs_reply_rows(const hs_reply *reply);
HS_API size_t hs_reply_columns(const hs_reply *reply);
/* NULL, too, beyond the last row or column. */
HS_API hs_value hs_reply_value(const hs_reply *reply, size_t row, size_t column);
/* How many answers there are: one for each request of a batch. */
HS_API size_t hs_reply_count(const hs_reply *reply);
/* Selects an answer; -1 and its error when it is one. */
HS_API int hs_reply_select(hs_reply *reply, size_t answer, hs_error *error);

typedef struct hs_filter {
  char kind;       /* 'F' skips rows, 'W' ends the search */
  const char *op;  /* = != > >= < <= */
  uint32_t column; /* its place among the filter columns of the table, from 0 */
  hs_value value;
} hs_filter;

/* All zero but op and key is a find of one row. */
typedef struct hs_query {
  const char *op; /* = =< > >= < <= ; NULL is = */
  const hs_value *key;
  size_t key_count;
  uint32_t limit; /* 0 is 1; in a count, no limit */
  uint32_t offset;
  const hs_value *in; /* in_count values for the key part number in_part */
  size_t in_count;
  uint32_t in_part;
  int in_all; /* all rows of each value, not one */
  const hs_filter *filters;
  size_t filter_count;
} hs_query;

/* The row with this key; hs_reply_rows(reply) is 0 when there is none. */
HS_API int hs_get(hs_table *table, const hs_value *key, size_t key_count, hs_reply *reply,
                  hs_error *error);
HS_API int hs_find(hs_table *table, const hs_query *query, hs_reply *reply, hs_error *error);
HS_API int hs_count(hs_table *table, const hs_query *query, hs_reply *reply, uint64_t *rows,
                    hs_error *error);
/* change: U, D, + or -, with ? (rows before) or ! (rows afterwards) behind it. Without those the
   reply is one number, how many rows. */
HS_API int hs_change(hs_table *table, const hs_query *query, const char *change,
                     const hs_value *values, size_t count, hs_reply *reply, hs_error *error);
/* verb: +, +I, +U or +R, with ? or ! behind it. update: for +U, NULL for the same values. Replies
   as in docs/protocol.md. */
HS_API int hs_insert(hs_table *table, const char *verb, const hs_value *values, size_t count,
                     const hs_value *update, size_t update_count, hs_reply *reply, hs_error *error);

/* Requests are copied into the batch. It goes to the write port when there is a change in it. NULL
   when there is no memory. */
HS_API hs_batch *hs_batch_new(hs_client *client);
HS_API void hs_batch_free(hs_batch *batch);
HS_API void hs_batch_clear(hs_batch *batch);
HS_API int hs_batch_find(hs_batch *batch, hs_table *table, const hs_query *query, hs_error *error);
HS_API int hs_batch_count(hs_batch *batch, hs_table *table, const hs_query *query, hs_error *error);
HS_API int hs_batch_change(hs_batch *batch, hs_table *table, const hs_query *query,
                           const char *change, const hs_value *values, size_t count,
                           hs_error *error);
HS_API int hs_batch_insert(hs_batch *batch, hs_table *table, const char *verb,
                           const hs_value *values, size_t count, const hs_value *update,
                           size_t update_count, hs_error *error);
/* 0 when every request has an answer, be it an error: see hs_reply_select. An empty batch has
   none. The batch stays as it is. */
HS_API int hs_batch_run(hs_batch *batch, hs_reply *reply, hs_error *error);

/* isolation: RU, RC, RR, SR or NULL. A transaction that only reads is on the read port. The handle
   is freed by hs_commit and hs_rollback, whatever they return. */
HS_API hs_transaction *hs_begin(hs_client *client, const char *isolation, int read_only,
                                hs_error *error);
HS_API int hs_transaction_run(hs_transaction *transaction, hs_batch *batch, hs_reply *reply,
                              hs_error *error);
HS_API int hs_savepoint(hs_transaction *transaction, const char *name, hs_error *error);
HS_API int hs_rollback_to(hs_transaction *transaction, const char *name, hs_error *error);
HS_API int hs_commit(hs_transaction *transaction, hs_error *error);
HS_API int hs_rollback(hs_transaction *transaction, hs_error *error);

/* The GTID of the client's own last change with read_your_writes, else that of the connection that
   answers. One value; empty before the first change. */
HS_API int hs_last_gtid(hs_client *client, hs_reply *reply, hs_error *error);
/* *applied: whether it was within so many seconds, on the place that takes the reads. */
HS_API int hs_wait_for_gtid(hs_client *client, const char *gtid, double seconds, int *applied,
                            hs_error *error);
/* The forms of D in docs/protocol.md: database and table may be NULL. */
HS_API int hs_describe(hs_client *client, const char *database, const char *table, int indexes,
                       hs_reply *reply, hs_error *error);
/* One line of tokens, which are sent as they are; TAB and LF in one are a HS_VALUE error. Is never
   sent again. */
HS_API int hs_raw(hs_client *client, int write_port, const hs_value *tokens, size_t count,
                  hs_reply *reply, hs_error *error);
/* The server's features with commas between them, in buffer; empty for the original. */
HS_API int hs_features(hs_client *client, char *buffer, size_t size, hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
