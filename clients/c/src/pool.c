/* The connections of a place. */
#include <stdlib.h>
#include <time.h>

#include "internal.h"

static const double TRUSTED = 0.1; /* seconds in which an idle connection hardly ever ends */

int hs_place_init(hs_place *place) {
  pthread_condattr_t clock;
  int bad = pthread_mutex_init(&place->mutex, NULL) | pthread_condattr_init(&clock);
  bad |= pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  bad |= pthread_cond_init(&place->freed, &clock);
  (void)pthread_condattr_destroy(&clock);
  return bad;
}

static size_t close_all(hs_conn *conn) {
  size_t count = 0;
  for (hs_conn *next; conn != NULL; conn = next, count++) {
    next = conn->next;
    hs_conn_close(conn);
  }
  return count;
}

void hs_place_clear(hs_place *place) {
  (void)close_all(place->idle);
  free(place->host);
  free(place->port);
  free(place->path);
  free(place->secret);
  (void)pthread_cond_destroy(&place->freed);
  (void)pthread_mutex_destroy(&place->mutex);
}

/* An idle connection, or none. Those that were idle for too long are put to *old. */
static hs_conn *take_idle(hs_place *place, double max_idle, hs_conn **old) {
  hs_conn *conn = place->idle, **at = &place->idle;
  if (conn == NULL) return NULL;
  double since = max_idle > 0 ? hs_now() - max_idle : 0;
  if (conn->idle_since < since) { /* then all are */
    *old = conn;
    place->idle = NULL;
    return NULL;
  }
  place->idle = conn->next;
  while (*at != NULL && (*at)->idle_since >= since) at = &(*at)->next;
  *old = *at;
  *at = NULL;
  return conn;
}

/* Waits while all connections are in use. *conn NULL: there is room for a new one. */
static int wait_for_one(hs_place *place, const hs_options *options, double deadline,
                        hs_conn **conn) {
  struct timespec until = {(time_t)deadline, (long)((deadline - (double)(time_t)deadline) * 1e9)};
  int late = 0;
  for (;;) {
    hs_conn *old = NULL;
    *conn = take_idle(place, options->max_idle, &old);
    for (const hs_conn *each = old; each != NULL; each = each->next) place->count--;
    if (old != NULL) {
      (void)pthread_mutex_unlock(&place->mutex);
      (void)close_all(old);
      (void)pthread_mutex_lock(&place->mutex);
    }
    if (*conn != NULL) return 0;
    if (place->idle != NULL) continue;
    if (place->count < options->pool_size) {
      place->count++;
      return 0;
    }
    if (late) return -1;
    if (deadline > 0)
      late = pthread_cond_timedwait(&place->freed, &place->mutex, &until) != 0;
    else
      (void)pthread_cond_wait(&place->freed, &place->mutex);
  }
}

static void give_up(hs_place *place) {
  (void)pthread_mutex_lock(&place->mutex);
  place->count--;
  (void)pthread_cond_signal(&place->freed);
  (void)pthread_mutex_unlock(&place->mutex);
}

hs_conn *hs_acquire(hs_client *client, hs_place *place, int change, double deadline,
                    hs_error *error) {
  hs_conn *conn;
  for (;;) {
    (void)pthread_mutex_lock(&place->mutex);
    int full = wait_for_one(place, &client->options, deadline, &conn);
    (void)pthread_mutex_unlock(&place->mutex);
    if (full) {
      (void)hs_fail(error, HS_TIMEOUT, "all connections of the pool are in use");
      return NULL;
    }
    if (conn == NULL) break;
    /* The server may have closed it meanwhile. To look is a call of the system: a read, which may be sent
       again, is not worth it just after another one. */
    if (!change && !conn->doubtful && hs_now() - conn->idle_since < TRUSTED) return conn;
    if (hs_conn_alive(conn)) return conn;
    hs_release(conn, 1);
  }
  conn = hs_conn_open(client, place, error);
  if (conn == NULL) give_up(place);
  return conn;
}

void hs_release(hs_conn *conn, int broken) {
  hs_place *place = conn->place;
  if (broken || conn->ends) {
    (void)pthread_mutex_lock(&place->mutex);
    for (hs_conn *other = place->idle; other != NULL; other = other->next) other->doubtful = 1;
    (void)pthread_mutex_unlock(&place->mutex);
    hs_conn_close(conn);
    give_up(place);
    return;
  }
  conn->idle_since = hs_now();
  conn->doubtful = 0;
  (void)pthread_mutex_lock(&place->mutex);
  conn->next = place->idle;
  place->idle = conn;
  (void)pthread_cond_signal(&place->freed);
  (void)pthread_mutex_unlock(&place->mutex);
}

hs_conn *hs_take_changed(hs_place *place) {
  hs_conn *changed = NULL;
  (void)pthread_mutex_lock(&place->mutex);
  for (hs_conn **at = &place->idle; *at != NULL;) {
    hs_conn *conn = *at;
    if (!conn->changed) {
      at = &conn->next;
      continue;
    }
    *at = conn->next;
    conn->next = changed;
    changed = conn;
  }
  (void)pthread_mutex_unlock(&place->mutex);
  return changed;
}
