/* What the parts of the client share. From the bottom: options, socket, connection, pool, client,
   table. */
#ifndef HS_INTERNAL_H
#define HS_INTERNAL_H

#include <openssl/ssl.h>
#include <pthread.h>

#include "protocol.h"

enum { HS_OPEN_INDEXES = 256, HS_REPLICAS = 32, HS_BUCKETS = 256, HS_DOMAINS = 32 };

enum hs_option {
  OPT_HOST,
  OPT_PORT,
  OPT_WRITE_PORT,
  OPT_SOCKET,
  OPT_WRITE_SOCKET,
  OPT_DATABASE,
  OPT_USER,
  OPT_PASSWORD,
  OPT_SECRET,
  OPT_WRITE_SECRET,
  OPT_TLS,
  OPT_TLS_CA,
  OPT_TLS_CERT,
  OPT_TLS_KEY,
  OPT_TLS_NAME,
  OPT_CONNECT_TIMEOUT,
  OPT_TIMEOUT,
  OPT_POOL_SIZE,
  OPT_MAX_IDLE,
  OPT_NAME,
  OPT_REPLICAS,
  OPT_READ_YOUR_WRITES,
  OPT_GTID_TIMEOUT,
  OPT_RETRIES,
  OPT_COUNT
};

typedef struct hs_options {
  char *text[OPT_COUNT]; /* NULL: not given, and no default */
  double connect_timeout, timeout, max_idle, gtid_timeout;
  size_t pool_size;
  unsigned retries;
  int tls, verify, read_your_writes;
} hs_options;

const char *hs_option_name(int option);
int hs_option_number(const char *name); /* -1: there is none */
int hs_option_set(hs_options *options, int option, const char *value, hs_error *error);
int hs_option_wrong(int option, hs_error *error); /* what it may be; returns -1 */
int hs_options_read(hs_options *options, const char *url, hs_error *error);
int hs_options_from_url(hs_options *options, const char *url, hs_error *error);
int hs_options_from_file(hs_options *options, hs_error *error);
void hs_options_free(hs_options *options);
int hs_is_utf8(const char *text);
/* Splits host:port in its place; an IPv6 address stands in brackets. */
int hs_split_address(char *text, char **host, char **port);
int hs_split_replica(char *text, char **host, char **port); /* with both, as they may be */

/* What a server can do beyond the original's protocol. */
enum hs_feature {
  HS_HAS_COUNT = 1,
  HS_HAS_UPSERT = 2,
  HS_HAS_RETURNING = 4,
  HS_HAS_TRANSACTION = 8,
  HS_HAS_DESCRIBE = 16,
  HS_HAS_GTID = 32,
  HS_HAS_ALL = 64,
  HS_HAS_DESCENDING = 128
};
unsigned hs_features_of(const char *list);
const char *hs_feature_name(unsigned feature); /* of the lowest bit */

/* Where connections go, and those that are not in use. */
typedef struct hs_place {
  char *host, *port, *path, *secret; /* path: a Unix socket in the place of host and port */
  pthread_mutex_t mutex;
  pthread_cond_t freed;
  struct hs_conn *idle; /* the one that was used last is the first */
  size_t count;
} hs_place;

/* A table, an index and columns, as P has them. Lives as long as its client. */
typedef struct hs_spec {
  struct hs_spec *next;
  char *open;      /* what stands behind P and the id */
  char *table;     /* database.table */
  hs_value *names; /* of the columns, with a NUL behind each */
  size_t count;
  const struct hs_typed *typed; /* atomic; NULL: not known */
} hs_spec;

typedef struct hs_slot {
  const hs_spec *spec;
  uint32_t id;
  uint64_t used;
  size_t pending; /* 1 + the answer to its P; 0: it is open */
} hs_slot;

typedef struct hs_conn {
  struct hs_conn *next;
  const hs_options *options;
  hs_place *place;
  int fd;
  SSL *ssl;
  double idle_since;
  double patience; /* seconds that a read waits; 0: for ever */
  hs_buf out;
  size_t sent; /* bytes of out */
  uint64_t clock;
  uint32_t next_id;
  size_t slot_count, recent; /* recent: the slot that was used last */
  hs_slot slots[HS_OPEN_INDEXES];
  char features[256];
  unsigned has;     /* of hs_feature */
  int knows;        /* the server has told what it has; else it is not asked */
  int ends;         /* the server has said that it ends it, or may */
  int doubtful;     /* another one of its place has ended since it was used */
  int changed;      /* there was a change since its GTID was asked for */
  uint64_t applied; /* the version of the client's GTIDs that this replica has */
} hs_conn;

/* What the answer to a request must be, when it is no error. */
typedef enum hs_expect_kind {
  HS_EXPECT_ANY,
  HS_EXPECT_NOTHING,
  HS_EXPECT_ROWS,   /* so many columns, and so many values at most */
  HS_EXPECT_NUMBER, /* one number */
  HS_EXPECT_ADDED,  /* a number that the verb has, and maybe an id */
  HS_EXPECT_ID      /* one number or none */
} hs_expect_kind;

typedef struct hs_expect {
  hs_expect_kind kind;
  size_t columns;
  uint64_t most; /* values */
} hs_expect;

typedef struct hs_item {
  const hs_spec *spec; /* NULL: a line as it is */
  const char *kind;    /* for the hook */
  size_t at, len;
  unsigned needs; /* of hs_feature */
  int raw;        /* an error is an answer, too */
  char verb;      /* of an insert: +, I, U or R */
  hs_expect expect;
} hs_item;

struct hs_batch {
  struct hs_client *client;
  hs_buf bytes;
  hs_item *items;
  size_t count, cap;
  int write;       /* there is a change in it */
  double patience; /* seconds for which the server may wait beyond the timeout */
};

typedef struct hs_result {
  size_t answer; /* of the reader; SIZE_MAX: it was not sent */
  const hs_spec *spec;
  unsigned missing; /* the feature that it needs */
  int raw;
  char verb;
  hs_expect expect;
} hs_result;

struct hs_reply {
  hs_reader reader;
  hs_result *results;
  size_t result_cap, count, selected;
  hs_batch scratch;
};

/* text begins with what numbers it: MariaDB's domain, or MySQL's UUID with its tag. */
typedef struct hs_gtid {
  char text[96]; /* the longest has 90 bytes */
  size_t len, source_len;
  uint64_t number;
} hs_gtid;

/* The columns of a spec with their kinds. Lives as long as its client. */
typedef struct hs_typed {
  struct hs_typed *next;
  const hs_spec *spec;
  struct hs_layout *layout;
  hs_column columns[];
} hs_typed;

struct hs_client {
  hs_options options;
  hs_place places[2 + HS_REPLICAS]; /* read, write, replicas */
  size_t replicas, turn;
  pthread_mutex_t mutex; /* of all that follows and changes */
  hs_spec *specs[HS_BUCKETS];
  hs_typed *typed;
  struct hs_layout *layouts;
  unsigned seed;
  hs_gtid gtids[HS_DOMAINS];
  size_t gtid_count;
  uint64_t gtid_version;
  SSL_CTX *tls;
  BIO_METHOD *bio;
  hs_hook hook;
  void *hook_argument;
};

struct hs_table {
  hs_client *client;
  hs_transaction *in; /* NULL: none */
  char *database, *table, *index;
  char **columns;
  size_t column_count; /* 0: all */
  int raw;
  hs_spec *spec;            /* of plain reads; atomic; NULL: not known */
  struct hs_layout *layout; /* atomic; NULL: not known */
};

struct hs_transaction {
  hs_client *client;
  pthread_mutex_t mutex; /* of all below */
  hs_conn *conn;         /* NULL when it broke */
  hs_reply *reply;
  int changed;
};

double hs_now(void); /* seconds; monotonic */
int hs_socket_connect(
    const hs_place *place, double deadline,
    hs_error *
        error); /* Reads of a plain socket wait by themselves; writes and looks say that they do not. */
void hs_socket_block(int fd);
/* the fd */
struct addrinfo;
int hs_resolve(const char *host, const char *port, double deadline, struct addrinfo **list,
               hs_error *error);
int hs_tls_setup(hs_client *client, hs_error *error);
int hs_tls_start(hs_client *client, hs_conn *conn, double deadline, hs_error *error);
int hs_wait(int fd, short events, double deadline, hs_error *error);
/* Sends out, and reads until the reader has `wanted` answers. deadline 0: none. */
int hs_exchange(hs_conn *conn, hs_reader *reader, size_t wanted, double deadline, hs_error *error);
int hs_conn_alive(hs_conn *conn);

hs_conn *hs_conn_open(hs_client *client, hs_place *place, hs_error *error);
void hs_conn_close(hs_conn *conn);
/* reply->count is how many of the first requests have an answer, also when it fails. ask_gtid: the
   client learns the GTID behind the batch. */
int hs_conn_run(hs_conn *conn, hs_client *client, const hs_batch *batch, hs_reply *reply,
                double deadline, int ask_gtid, hs_error *error);

int hs_place_init(hs_place *place);
void hs_place_clear(hs_place *place);
/* deadline: for a connection while all are in use; 0: none. */
hs_conn *hs_acquire(hs_client *client, hs_place *place, int change, double deadline,
                    hs_error *error);
void hs_release(hs_conn *conn, int broken);
/* Takes the idle connections of which the last GTID is not known. */
hs_conn *hs_take_changed(hs_place *place);

/* Waits a random time before a reconnect. */
void hs_pause(hs_client *client, unsigned attempt);
/* A connection for reads or for changes. */
hs_conn *hs_take(hs_client *client, int write, double deadline, hs_error *error);
int hs_run(hs_client *client, const hs_batch *batch, hs_reply *reply, hs_error *error);
void hs_tell_hook(hs_client *client, const hs_batch *batch, hs_reply *reply, double begin,
                  const hs_error *error);
/* For a connection to a replica: 1 when it has the client's own last change, 0 when not, -1 when the
   connection broke. */
int hs_is_fresh(hs_client *client, hs_conn *conn);
void hs_add_gtid(hs_client *client, hs_value told);

/* The error of an answer; -1 when it is one. */
int hs_reply_error(const hs_reply *reply, size_t number, hs_error *error);
/* Rows of so many columns; limit: rows at most, 0: any number. */
hs_expect hs_expect_rows(size_t columns, int64_t limit);
/* Whether an answer that is there is one to what was asked. */
int hs_reply_is_expected(const hs_reply *reply, size_t number);
int hs_batch_add(hs_batch *batch, const hs_spec *spec, const char *kind, size_t at,
                 hs_error *error);
void hs_batch_wipe(hs_batch *batch);

/* The spec of this P, the same one for the same text. Takes over nothing. NULL: an error. */
hs_spec *hs_spec_of(hs_client *client, const hs_open *open, hs_error *error);
void hs_specs_free(hs_client *client);

/* A column of an index. */
typedef struct hs_part {
  const char *index, *column, *type; /* type: of the column, as D has it */
  long prefix;                       /* characters; 0: the whole column */
  int unique, backward;              /* backward: DESC */
} hs_part;

/* What D tells of a table, of its columns and indexes. Lives as long as its client. */
typedef struct hs_layout {
  struct hs_layout *next;
  hs_buf text; /* with a NUL behind each part; begins with the database and the table */
  int stale;   /* atomic */
  hs_column *columns;
  hs_part *parts;
  size_t column_count, part_count;
} hs_layout;

/* Asks when it is not known. *out is NULL when the server does not describe its tables. */
int hs_layout_of(hs_table *table, hs_layout **out, hs_error *error);
/* The same, with a HS_UNSUPPORTED error then. */
int hs_layout_needed(hs_table *table, hs_layout **out, hs_error *error);
void hs_layouts_free(hs_client *client);
const hs_column *hs_layout_column(const hs_layout *layout, hs_value name); /* NULL: none */
/* Puts the kinds of a spec's columns to it. */
int hs_type(hs_table *table, hs_spec *spec, hs_error *error);
/* layout: NULL for text alone. NULL: no memory. */
const hs_typed *hs_typed_of(hs_client *client, hs_layout *layout, const hs_spec *spec);
/* Forgets the layouts of tables that have answered with a HS_NOT_FOUND. */
void hs_forget_missing(const hs_reply *reply);
/* The spec of plain reads, with kinds unless the table is raw. */
hs_spec *hs_table_spec(hs_table *table, hs_error *error);
/* Asks in any case. Others of the table may go on with what was known as long as that is the same. */
int hs_layout_anew(hs_table *table, hs_error *error);
/* Adds, behind a request that is right for some columns of the index alone, what tells of the index. */
int hs_add_index_check(hs_batch *batch, hs_table *table, hs_error *error);
/* Whether these were the columns of the index, by the answer to that; else what was known of the table is
   forgotten. Afterwards the reply has the request's own answer alone. */
int hs_index_was(hs_reply *reply, hs_table *table, const hs_part *parts, size_t count);
/* The columns of the table's index, in a row. A HS_NOT_FOUND when there is none. */
int hs_index_parts(hs_table *table, const hs_part **parts, size_t *count, hs_error *error);
/* Runs a batch where the table is: in its transaction, or with its client. */
int hs_table_run(hs_table *table, const hs_batch *batch, hs_reply *reply, hs_error *error);
/* Values of a call; few are in no memory of their own. */
typedef struct hs_list {
  hs_value few[32], *all;
} hs_list;
hs_value *hs_list_make(hs_list *list, size_t count, hs_error *error); /* NULL: no memory */
void hs_list_free(hs_list *list);
/* A find, a count or a change that opens these columns. */
int hs_add_find(hs_batch *batch, hs_table *table, const hs_value *columns, size_t column_count,
                const hs_query *query, const char *verb, const hs_value *values, const char *kind,
                hs_error *error);
/* A find that opens the columns of the spec. */
int hs_add_read(hs_batch *batch, hs_table *table, hs_spec *spec, const hs_query *query,
                const char *kind, hs_error *error);

#endif
