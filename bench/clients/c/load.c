/* Looks rows up by their keys: ../README.md tells the arguments and what is printed. With hs.c it is the
 * program for C, with ../cpp/hs.cc that for C++. */
#include "load.h"

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <mysql.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16 };

int port, count = 1;
static int rows;
static double seconds;

void need(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A target: `look_up` fills in the values of `count` keys, for one thread. */
typedef struct target {
  const char *name;
  void *(*connect)(void);
  void (*look_up)(void *state, const int *keys, char values[][VALUE + 1]);
} target;

void take(char *value, const char *data, size_t size) {
  if (size > VALUE) size = 0;
  memcpy(value, data, size);
  value[size] = 0;
}

typedef struct sql_state {
  MYSQL_STMT *statement;
  int keys[BATCH], id;
  char value[VALUE + 1];
  unsigned long size;
} sql_state;

static void *sql_open(void) {
  char text[512] = "SELECT id, value FROM test.pairs WHERE id IN (?";
  MYSQL_BIND in[BATCH] = {0}, out[2] = {0};
  sql_state *s = calloc(1, sizeof *s);
  MYSQL *sql = mysql_init(NULL);
  need(mysql_real_connect(sql, "127.0.0.1", "bench", "", NULL, (unsigned)port, NULL, 0) != NULL,
       mysql_error(sql));
  for (int i = 1; i < count; i++) strcat(text, ",?");
  strcat(text, ")");
  s->statement = mysql_stmt_init(sql);
  need(mysql_stmt_prepare(s->statement, text, strlen(text)) == 0, mysql_error(sql));
  for (int i = 0; i < count; i++)
    in[i] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_LONG, .buffer = &s->keys[i]};
  out[0] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_LONG, .buffer = &s->id};
  out[1] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_STRING,
                        .buffer = s->value,
                        .buffer_length = VALUE,
                        .length = &s->size};
  need(mysql_stmt_bind_param(s->statement, in) == 0, mysql_error(sql));
  need(mysql_stmt_bind_result(s->statement, out) == 0, mysql_error(sql));
  return s;
}

static void sql_look_up(void *state, const int *keys, char values[][VALUE + 1]) {
  sql_state *s = state;
  memcpy(s->keys, keys, sizeof(int) * (size_t)count);
  need(mysql_stmt_execute(s->statement) == 0, mysql_stmt_error(s->statement));
  while (mysql_stmt_fetch(s->statement) == 0)
    for (int i = 0; i < count; i++)
      if (keys[i] == s->id) take(values[i], s->value, s->size);
}

static void *redis_open(void) {
  redisContext *context = redisConnect("127.0.0.1", port);
  need(context && !context->err, "no Redis");
  return context;
}

static void redis_look_up(void *state, const int *keys, char values[][VALUE + 1]) {
  for (int i = 0; i < count; i++) redisAppendCommand(state, "GET %d", keys[i]);
  for (int i = 0; i < count; i++) {
    redisReply *reply = NULL;
    need(redisGetReply(state, (void **)&reply) == REDIS_OK && reply->str, "Redis");
    take(values[i], reply->str, reply->len);
    freeReplyObject(reply);
  }
}

/* A socket, without a client: what the server and the kernel leave to be gained. */
static size_t ask(int file, const char *request, size_t size, int lines, char *answer) {
  size_t have = 0;
  need(write(file, request, size) == (ssize_t)size, "write");
  for (int seen = 0; seen < lines;) {
    const ssize_t more = read(file, answer + have, 32768 - have);
    need(more > 0, "read");
    for (ssize_t i = 0; i < more; i++) seen += answer[have + (size_t)i] == '\n';
    have += (size_t)more;
  }
  return have;
}

static void *floor_open(void) {
  static const char open[] = "P\t1\ttest\tpairs\tPRIMARY\tvalue\n";
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  char answer[32768];
  int *file = malloc(sizeof *file), one = 1;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  *file = socket(AF_INET, SOCK_STREAM, 0);
  need(connect(*file, (struct sockaddr *)&place, sizeof place) == 0, "connect");
  setsockopt(*file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ask(*file, open, sizeof open - 1, 1, answer);
  return file;
}

static void floor_look_up(void *state, const int *keys, char values[][VALUE + 1]) {
  char request[BATCH * 24], answer[32768], *line = answer;
  int size = 0;
  for (int i = 0; i < count; i++) size += sprintf(request + size, "1\t=\t1\t%d\n", keys[i]);
  ask(*(int *)state, request, (size_t)size, count, answer);
  for (int i = 0; i < count; i++, line = strchr(line, '\n') + 1) take(values[i], line + 4, VALUE);
}

static const target targets[] = {{"hs", ours_open, ours_look_up},
                                 {"sql", sql_open, sql_look_up},
                                 {"redis", redis_open, redis_look_up},
                                 {"floor", floor_open, floor_look_up}};

typedef struct worker {
  const target *at;
  void *state;
  pthread_t thread;
  int first;
  long lookups, wrong;
  double end;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  int keys[BATCH];
  char values[BATCH][VALUE + 1], wanted[VALUE + 1];
  while (now(CLOCK_MONOTONIC) < w->end) {
    for (int i = 0; i < count; i++) {
      w->first = (w->first + 7919) % rows;
      keys[i] = 1 + w->first;
      values[i][0] = 0;
    }
    w->at->look_up(w->state, keys, values);
    w->lookups += count;
    for (int i = 0; i < count; i++) {
      sprintf(wanted, "%060d", keys[i]);
      w->wrong += strcmp(wanted, values[i]) != 0;
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  need(argc == 6, "load TARGET SHAPE PORT ROWS SECONDS");
  const target *at = targets;
  while (strcmp(at->name, argv[1]) != 0) at++;
  const int threads = strcmp(argv[2], "parallel") == 0 ? THREADS : 1;
  if (strcmp(argv[2], "pipeline") == 0) count = BATCH;
  port = atoi(argv[3]);
  rows = atoi(argv[4]);
  seconds = atof(argv[5]);
  if (at->connect == ours_open) ours_prepare();
  mysql_library_init(0, NULL, NULL);
  worker workers[THREADS] = {0};
  for (int i = 0; i < threads; i++) { /* connected, and warm */
    workers[i] = (worker){.at = at, .first = i * (rows / threads), .state = at->connect()};
    workers[i].end = now(CLOCK_MONOTONIC) + 0.1 / threads;
    work(&workers[i]);
    workers[i].lookups = 0;
  }
  const double begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < threads; i++) {
    workers[i].end = begin + seconds;
    pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  }
  long lookups = 0, wrong = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    lookups += workers[i].lookups;
    wrong += workers[i].wrong;
  }
  printf("{\"seconds\": %f, \"cpu\": %f, \"lookups\": %ld, \"wrong\": %ld}\n",
         now(CLOCK_MONOTONIC) - begin, now(CLOCK_PROCESS_CPUTIME_ID) - cpu, lookups, wrong);
  return 0;
}
