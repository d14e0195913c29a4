/* Where a batch goes, and what is sent again. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

/* A random time from 0 to 50 ms * 2^attempt, at most 2 s. */
void hs_pause(hs_client *client, unsigned attempt) {
  double most = attempt < 6 ? 0.05 * (double)(1u << attempt) : 2;
  (void)pthread_mutex_lock(&client->mutex);
  client->seed = client->seed * 1103515245u + 12345u;
  double seconds = (most < 2 ? most : 2) * (double)(client->seed >> 8) / (double)(1 << 24);
  (void)pthread_mutex_unlock(&client->mutex);
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  (void)nanosleep(&time, NULL);
}

/* A replica that answers, and has the client's last change where that is asked for; or NULL. */
static hs_conn *take_replica(hs_client *client, double deadline) {
  size_t first = __atomic_fetch_add(&client->turn, 1, __ATOMIC_RELAXED);
  for (size_t i = 0; i < client->replicas; i++) {
    hs_place *place = &client->places[2 + (first + i) % client->replicas];
    hs_conn *conn = hs_acquire(client, place, 0, deadline, NULL);
    if (conn == NULL) continue;
    int fresh = client->options.read_your_writes ? hs_is_fresh(client, conn) : 1;
    if (fresh > 0) return conn;
    hs_release(conn, fresh < 0);
  }
  return NULL;
}

hs_conn *hs_take(hs_client *client, int write, double deadline, hs_error *error) {
  if (write && client->places[0].path != NULL && client->places[1].path == NULL) {
    (void)hs_fail(error, HS_CONFIGURATION, "write_socket is missing");
    return NULL;
  }
  hs_conn *conn = write || client->replicas == 0 ? NULL : take_replica(client, deadline);
  return conn != NULL ? conn : hs_acquire(client, &client->places[write], write, deadline, error);
}

static int run(hs_client *client, const hs_batch *batch, hs_reply *reply, hs_error *error) {
  double timeout = client->options.timeout;
  double deadline = timeout > 0 ? hs_now() + timeout + batch->patience : 0;
  int ask_gtid = batch->write && client->options.read_your_writes;
  for (unsigned attempt = 0;;) {
    hs_error why = {0};
    hs_conn *conn = hs_take(client, batch->write, deadline, &why);
    int reused = 0;
    if (conn != NULL) {
      reused = conn->idle_since != 0;
      int bad = hs_conn_run(conn, client, batch, reply, deadline, ask_gtid, &why);
      hs_release(conn, bad || reply->reader.line != reply->reader.bytes.len);
      if (!bad) return 0;
    }
    /* One that was idle may have been closed just then. */
    if (reused && !why.sent && why.kind == HS_CONNECTION) continue;
    if (why.kind != HS_CONNECTION || (why.sent && batch->write) ||
        attempt >= client->options.retries) {
      if (error != NULL) *error = why;
      return -1;
    }
    hs_pause(client, attempt++);
  }
}

void hs_tell_hook(hs_client *client, const hs_batch *batch, hs_reply *reply, double begin,
                  const hs_error *error) {
  double seconds = hs_now() - begin;
  for (size_t i = 0; i < batch->count; i++) {
    const hs_item *item = &batch->items[i];
    hs_error own = {0};
    const hs_error *told = error;
    if (i < reply->count) told = hs_reply_error(reply, i, &own) != 0 ? &own : NULL;
    client->hook(client->hook_argument, item->kind, item->spec != NULL ? item->spec->table : "",
                 seconds, told);
  }
}

int hs_run(hs_client *client, const hs_batch *batch, hs_reply *reply, hs_error *error) {
  hs_error why = {0};
  reply->count = reply->selected = 0;
  if (batch->count == 0) return 0;
  double begin = client->hook != NULL ? hs_now() : 0;
  int bad = run(client, batch, reply, &why);
  hs_forget_missing(reply);
  if (client->hook != NULL) hs_tell_hook(client, batch, reply, begin, bad ? &why : NULL);
  if (bad && error != NULL) *error = why;
  return bad;
}
