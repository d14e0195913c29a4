/* A hook that counts calls, errors and seconds, as Prometheus reads them: metrics URL, with the table
   test.user of docs/protocol.md. */
#include <handlersocket2.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 32 };

typedef struct metrics {
  pthread_mutex_t mutex;
  struct {
    const char *kind;
    unsigned long calls, errors;
    double seconds;
  } of[KINDS];
} metrics;

static void count(void *argument, const char *kind, const char *table, double seconds,
                  const hs_error *error) {
  metrics *m = argument;
  (void)table;
  pthread_mutex_lock(&m->mutex);
  int i = 0;
  while (i < KINDS - 1 && m->of[i].kind != NULL && strcmp(m->of[i].kind, kind) != 0) i++;
  m->of[i].kind = kind;
  m->of[i].calls++;
  m->of[i].errors += error != NULL;
  m->of[i].seconds += seconds;
  pthread_mutex_unlock(&m->mutex);
}

static void print(const metrics *m) {
  for (int i = 0; i < KINDS && m->of[i].kind != NULL; i++) {
    const char *kind = m->of[i].kind;
    printf("handlersocket_client_calls_total{kind=\"%s\"} %lu\n", kind, m->of[i].calls);
    printf("handlersocket_client_errors_total{kind=\"%s\"} %lu\n", kind, m->of[i].errors);
    printf("handlersocket_client_seconds_total{kind=\"%s\"} %g\n", kind, m->of[i].seconds);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  static metrics m = {.mutex = PTHREAD_MUTEX_INITIALIZER};
  hs_error error = {0};
  hs_client *client = hs_connect(argv[1], &error);
  if (client == NULL) return 1;
  hs_set_hook(client, count, &m);
  const char *columns[] = {"user_name"}, *wrong[] = {"nosuch"};
  hs_table *user = hs_table_new(client, "test.user", NULL, columns, 1, 0, NULL);
  hs_table *none = hs_table_new(client, "test.user", NULL, wrong, 1, 0, NULL);
  hs_reply *reply = hs_reply_new();
  const hs_value key = hs_text("101");
  for (int i = 0; i < 3; i++) (void)hs_get(user, &key, 1, reply, &error);
  (void)hs_get(none, &key, 1, reply, &error);
  print(&m);
  hs_reply_free(reply);
  hs_table_free(none);
  hs_table_free(user);
  hs_close(client);
  return 0;
}
