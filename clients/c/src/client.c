/* Pools, places, and what is sent again. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

void hs_place_clear(hs_place *place) {
  for (hs_conn *conn = place->idle, *next; conn != NULL; conn = next) {
    next = conn->next;
    hs_conn_close(conn);
  }
  place->idle = NULL;
  free(place->host);
  free(place->port);
  free(place->path);
  free(place->secret);
}

/* An idle connection, or none; drops those that were idle for too long. */
static hs_conn *take_idle(hs_client *client, hs_place *place) {
  hs_conn *conn = place->idle, *old = NULL;
  if (conn == NULL) return NULL;
  double since = hs_now() - client->options.max_idle;
  hs_conn **at = &place->idle;
  while (*at != NULL && (*at)->idle_since >= since) at = &(*at)->next;
  old = *at;
  *at = NULL;
  conn = place->idle;
  if (conn != NULL) place->idle = conn->next;
  while (old != NULL) {
    hs_conn *next = old->next;
    hs_conn_close(old);
    place->count--;
    old = next;
  }
  return conn;
}

hs_conn *hs_acquire(hs_client *client, hs_place *place, hs_error *error) {
  struct timespec until;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)client->options.connect_timeout + 1;
  (void)pthread_mutex_lock(&client->mutex);
  hs_conn *conn = take_idle(client, place);
  int late = 0;
  while (conn == NULL && place->count >= client->options.pool_size && !late) {
    late = pthread_cond_timedwait(&client->freed, &client->mutex, &until) != 0;
    conn = take_idle(client, place);
  }
  int full = conn == NULL && place->count >= client->options.pool_size;
  if (conn == NULL && !full) place->count++;
  (void)pthread_mutex_unlock(&client->mutex);
  if (full) (void)hs_fail(error, HS_TIMEOUT, "all connections of the pool are in use");
  if (full || conn != NULL) return conn;
  conn = hs_conn_open(client, place, error);
  if (conn != NULL) return conn;
  (void)pthread_mutex_lock(&client->mutex);
  place->count--;
  (void)pthread_cond_broadcast(&client->freed);
  (void)pthread_mutex_unlock(&client->mutex);
  return NULL;
}

void hs_release(hs_client *client, hs_conn *conn, int broken) {
  hs_place *place = conn->place;
  conn->idle_since = hs_now();
  (void)pthread_mutex_lock(&client->mutex);
  if (broken) {
    place->count--;
  } else {
    conn->next = place->idle;
    place->idle = conn;
  }
  (void)pthread_cond_broadcast(&client->freed);
  (void)pthread_mutex_unlock(&client->mutex);
  if (broken) hs_conn_close(conn);
}

/* A random time from 0 to 50 ms * 2^attempt, at most 2 s. */
static void pause_before(hs_client *client, unsigned attempt) {
  double most = attempt < 6 ? 0.05 * (double)(1u << attempt) : 2;
  (void)pthread_mutex_lock(&client->mutex);
  client->seed = client->seed * 1103515245u + 12345u;
  double seconds = (most < 2 ? most : 2) * (double)(client->seed >> 8) / (double)(1 << 24);
  (void)pthread_mutex_unlock(&client->mutex);
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  (void)nanosleep(&time, NULL);
}

/* Connections that are not in use may have been closed by the server meanwhile. */
static hs_conn *acquire_alive(hs_client *client, hs_place *place, hs_error *error) {
  for (;;) {
    hs_conn *conn = hs_acquire(client, place, error);
    if (conn == NULL || conn->idle_since == 0 || hs_conn_alive(conn)) return conn;
    hs_release(client, conn, 1);
  }
}

int hs_run_at(hs_client *client, hs_place *place, const hs_batch *batch, hs_reply *reply,
              hs_error *error) {
  double timeout = client->options.timeout, deadline = timeout > 0 ? hs_now() + timeout : 0;
  for (unsigned attempt = 0;; attempt++) {
    hs_error why = {0};
    hs_conn *conn = acquire_alive(client, place, &why);
    if (conn != NULL) {
      int bad = hs_conn_run(conn, batch, reply, deadline, &why);
      const hs_reader *r = &reply->reader;
      hs_release(client, conn, bad || r->line != r->bytes.len);
      if (!bad) return 0;
    }
    int safe = !why.sent || (!batch->write && !batch->once);
    if (why.kind != HS_CONNECTION || !safe || attempt >= client->options.retries) {
      if (error != NULL) *error = why;
      return -1;
    }
    pause_before(client, attempt);
  }
}

/* The client's last change is put before the reads, or the replica is not good for them. */
static int run_at_replica(hs_client *client, const hs_batch *batch, hs_reply *reply,
                          hs_error *error) {
  hs_batch wait = {.client = client};
  hs_error unused;
  (void)pthread_mutex_lock(&client->mutex);
  hs_place *place = &client->places[2 + client->turn++ % client->replicas];
  int waits = client->options.read_your_writes && *client->gtid != 0;
  if (waits) {
    hs_buf_text(&wait.bytes, "G\tW\t");
    hs_buf_text(&wait.bytes, client->gtid);
    hs_buf_text(&wait.bytes, "\t");
    hs_buf_number(&wait.bytes, (uint64_t)(client->options.gtid_timeout * 1000));
    hs_buf_text(&wait.bytes, "\n");
  }
  (void)pthread_mutex_unlock(&client->mutex);
  if (!waits) return hs_run_at(client, place, batch, reply, error);
  int bad = hs_batch_add(&wait, NULL, 0, error);
  for (size_t i = 0; !bad && i < batch->count; i++) {
    size_t at = wait.bytes.len;
    hs_buf_add(&wait.bytes, batch->bytes.data + batch->items[i].at, batch->items[i].len);
    bad = hs_batch_add(&wait, batch->items[i].spec, at, error);
  }
  if (!bad) bad = hs_run_at(client, place, &wait, reply, error);
  hs_batch_wipe(&wait);
  if (bad) return bad;
  hs_value applied = hs_reply_value(reply, 0, 0);
  if (hs_reply_select(reply, 0, &unused) != 0 || applied.len != 1 || *applied.data != '1')
    return hs_fail(error, HS_CONNECTION, "the replica is behind");
  reply->count--;
  memmove(reply->map, reply->map + 1, reply->count * sizeof *reply->map);
  return 0;
}

/* A change is followed by G L, whose answer is the client's. */
static int run_write(hs_client *client, const hs_batch *batch, hs_reply *reply, hs_error *error) {
  hs_batch both = *batch;
  if (!client->options.read_your_writes || batch->once)
    return hs_run_at(client, &client->places[1], batch, reply, error);
  both.bytes = (hs_buf){0};
  both.items = NULL;
  both.count = both.cap = 0;
  hs_buf_add(&both.bytes, batch->bytes.data, batch->bytes.len);
  int bad = 0;
  for (size_t i = 0; !bad && i < batch->count; i++) {
    bad = hs_batch_add(&both, batch->items[i].spec, batch->items[i].at, error);
    if (!bad) both.items[i].len = batch->items[i].len;
  }
  size_t at = both.bytes.len;
  hs_buf_text(&both.bytes, "G\tL\n");
  if (!bad) bad = hs_batch_add(&both, NULL, at, error);
  if (!bad) bad = hs_run_at(client, &client->places[1], &both, reply, error);
  hs_batch_wipe(&both);
  if (bad) return bad;
  if (hs_reply_select(reply, batch->count, NULL) == 0) {
    hs_value gtid = hs_reply_value(reply, 0, 0);
    (void)pthread_mutex_lock(&client->mutex);
    if (gtid.len != 0 && gtid.len < sizeof client->gtid) {
      memcpy(client->gtid, gtid.data, gtid.len);
      client->gtid[gtid.len] = 0;
    }
    (void)pthread_mutex_unlock(&client->mutex);
  }
  reply->count = batch->count;
  reply->selected = 0;
  return 0;
}

static int run_somewhere(hs_client *client, const hs_batch *batch, hs_reply *reply,
                         hs_error *error) {
  if (batch->write) return run_write(client, batch, reply, error);
  if (client->replicas != 0 && !batch->once && run_at_replica(client, batch, reply, error) == 0)
    return 0;
  return hs_run_at(client, &client->places[0], batch, reply, error);
}

int hs_run(hs_client *client, const hs_batch *batch, hs_reply *reply, hs_error *error) {
  hs_place *write = &client->places[1];
  hs_error why = {0};
  if (batch->write && client->places[0].path != NULL && write->path == NULL)
    return hs_fail(error, HS_CONFIGURATION, "changes need write_socket");
  if (batch->count == 0) {
    reply->count = 0;
    return 0;
  }
  double begin = client->hook != NULL ? hs_now() : 0;
  int bad = run_somewhere(client, batch, reply, &why);
  if (client->hook != NULL)
    client->hook(client->hook_argument, batch->write ? "write" : "read", batch->table,
                 hs_now() - begin, bad ? &why : NULL);
  if (bad && error != NULL) *error = why;
  return bad;
}
