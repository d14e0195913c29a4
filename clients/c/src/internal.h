/* What the parts of the client share. From the bottom: options, socket, connection, client. */
#ifndef HS_INTERNAL_H
#define HS_INTERNAL_H

#include <openssl/ssl.h>
#include <pthread.h>

#include "protocol.h"

enum { HS_OPEN_INDEXES = 256, HS_REPLICAS = 32 };
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

int hs_options_read(hs_options *options, const char *url, hs_error *error);
void hs_options_free(hs_options *options);

/* Where connections go, and those that are not in use. */
typedef struct hs_place {
  char *host, *port, *path, *secret; /* path: a Unix socket in the place of host and port */
  struct hs_conn *idle;
  size_t count;
} hs_place;

/* A set of table, index and columns. Lives as long as its client. */
typedef struct hs_spec {
  struct hs_spec *next;
  char *open; /* what stands behind P and the id */
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
  hs_buf out;
  size_t sent; /* bytes of out */
  uint64_t clock;
  uint32_t next_id;
  size_t slot_count;
  hs_slot slots[HS_OPEN_INDEXES];
  char features[256];
} hs_conn;

typedef struct hs_item {
  const hs_spec *spec; /* NULL: a line as it is */
  size_t at, len;
} hs_item;

struct hs_batch {
  struct hs_client *client;
  hs_buf bytes;
  hs_item *items;
  size_t count, cap;
  int write, once; /* a change; never sent again */
  const char *table;
};

struct hs_reply {
  hs_reader reader;
  size_t *map; /* which of the reader's answers belongs to a request */
  size_t map_cap, count, selected;
  hs_batch scratch;
};

struct hs_client {
  hs_options options;
  hs_place places[2 + HS_REPLICAS]; /* read, write, replicas */
  size_t replicas, turn;
  pthread_mutex_t mutex;
  pthread_cond_t freed;
  hs_spec *specs;
  SSL_CTX *tls;
  BIO_METHOD *bio;
  hs_hook hook;
  void *hook_argument;
  unsigned seed;
  char gtid[2048]; /* of the last change, with read_your_writes */
};

struct hs_table {
  hs_client *client;
  const hs_spec *spec;
  char *name;
};

double hs_now(void); /* seconds; monotonic */
int hs_socket_connect(const hs_place *place, double deadline, hs_error *error); /* the fd */
int hs_tls_setup(hs_client *client, hs_error *error);
int hs_tls_start(hs_client *client, hs_conn *conn, double deadline, hs_error *error);
int hs_wait(int fd, short events, double deadline, hs_error *error);
/* Sends out, and reads until the reader has `wanted` answers. deadline 0: none. */
int hs_exchange(hs_conn *conn, hs_reader *reader, size_t wanted, double deadline, hs_error *error);
int hs_conn_alive(hs_conn *conn);

hs_conn *hs_conn_open(hs_client *client, hs_place *place, hs_error *error);
void hs_conn_close(hs_conn *conn);
int hs_conn_run(hs_conn *conn, const hs_batch *batch, hs_reply *reply, double deadline,
                hs_error *error);

hs_conn *hs_acquire(hs_client *client, hs_place *place, hs_error *error);
void hs_release(hs_client *client, hs_conn *conn, int broken);
void hs_place_clear(hs_place *place);
int hs_run(hs_client *client, const hs_batch *batch, hs_reply *reply, hs_error *error);
int hs_run_at(hs_client *client, hs_place *place, const hs_batch *batch, hs_reply *reply,
              hs_error *error);

int hs_batch_add(hs_batch *batch, const hs_spec *spec, size_t at, hs_error *error);
void hs_batch_wipe(hs_batch *batch);
/* A batch of one line, in the reply's own memory. */
int hs_batch_line(hs_batch *batch, const char *line, hs_error *error);

#endif
