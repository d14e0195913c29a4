/* Names to addresses, within a time. getaddrinfo cannot be broken off, so a thread of its own waits
   for it, and goes on alone when the time is over. */
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "internal.h"

typedef struct question {
  pthread_mutex_t mutex;
  pthread_cond_t answered;
  char *host, *port;
  struct addrinfo *list;
  int users, done, result; /* users: of this memory */
} question;

static struct addrinfo hints(int flags) {
  return (struct addrinfo){.ai_socktype = SOCK_STREAM, .ai_flags = flags};
}

static void leave(question *q) { /* unlocks */
  int last = --q->users == 0;
  (void)pthread_mutex_unlock(&q->mutex);
  if (!last) return;
  if (q->list != NULL) freeaddrinfo(q->list);
  (void)pthread_cond_destroy(&q->answered);
  (void)pthread_mutex_destroy(&q->mutex);
  free(q->host);
  free(q->port);
  free(q);
}

static void *look_up(void *argument) {
  question *q = argument;
  struct addrinfo wanted = hints(0), *list = NULL;
  int result = getaddrinfo(q->host, q->port, &wanted, &list);
  (void)pthread_mutex_lock(&q->mutex);
  q->result = result;
  q->list = result == 0 ? list : NULL;
  q->done = 1;
  (void)pthread_cond_signal(&q->answered);
  leave(q);
  return NULL;
}

static question *ask(const char *host, const char *port) {
  question *q = calloc(1, sizeof *q);
  pthread_condattr_t clock;
  pthread_attr_t detached;
  pthread_t thread;
  if (q == NULL) return NULL;
  (void)pthread_mutex_init(&q->mutex, NULL);
  (void)pthread_condattr_init(&clock);
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&q->answered, &clock);
  (void)pthread_condattr_destroy(&clock);
  (void)pthread_attr_init(&detached);
  (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  q->host = strdup(host);
  q->port = strdup(port);
  q->users = 2;
  int bad =
      q->host == NULL || q->port == NULL || pthread_create(&thread, &detached, look_up, q) != 0;
  (void)pthread_attr_destroy(&detached);
  (void)pthread_mutex_lock(&q->mutex);
  if (!bad) return q; /* locked */
  q->users = 1;
  leave(q);
  return NULL;
}

int hs_resolve(const char *host, const char *port, double deadline, struct addrinfo **list,
               hs_error *error) {
  struct addrinfo numeric = hints(AI_NUMERICHOST);
  if (getaddrinfo(host, port, &numeric, list) == 0) return 0;
  question *q = ask(host, port);
  if (q == NULL) return hs_fail(error, HS_CONNECTION, "no thread to look %.200s up", host);
  struct timespec until = {(time_t)deadline, (long)((deadline - (double)(time_t)deadline) * 1e9)};
  int late = 0;
  while (!q->done && !late)
    late = deadline > 0 ? pthread_cond_timedwait(&q->answered, &q->mutex, &until) != 0
                        : pthread_cond_wait(&q->answered, &q->mutex) != 0;
  int done = q->done, result = q->result;
  *list = q->list;
  if (done) q->list = NULL; /* the caller's now */
  leave(q);
  if (!done) return hs_fail(error, HS_TIMEOUT, "looking %.200s up took too long", host);
  if (result != 0) return hs_fail(error, HS_CONNECTION, "%.200s: %s", host, gai_strerror(result));
  return 0;
}
