/* Clients and tables: what they are made of. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

static char *copy(const char *text) { return text != NULL ? strdup(text) : NULL; }

static int add_replicas(hs_client *client, hs_error *error) {
  char *list = copy(client->options.text[OPT_REPLICAS]), *rest = NULL;
  int bad = 0;
  for (char *part = list != NULL ? strtok_r(list, ",", &rest) : NULL; part != NULL && !bad;
       part = strtok_r(NULL, ",", &rest)) {
    char *colon = strrchr(part, ':');
    size_t last = strlen(part);
    if (client->replicas == HS_REPLICAS || colon == NULL || colon == part || colon[1] == 0 ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1)) {
      bad = hs_fail(error, HS_CONFIGURATION, "replicas is no list of host:port, 32 at most");
      break;
    }
    *colon = 0;
    last = strlen(part);
    if (*part == '[' && part[last - 1] == ']') {
      part[last - 1] = 0;
      part++;
    }
    hs_place *place = &client->places[2 + client->replicas++];
    place->host = copy(part);
    place->port = copy(colon + 1);
    place->secret = copy(client->options.text[OPT_SECRET]);
  }
  free(list);
  return bad;
}

static void add_places(hs_client *client) {
  char **text = client->options.text;
  for (int i = 0; i < 2; i++) {
    hs_place *place = &client->places[i];
    const char *path = text[i == 0 ? OPT_SOCKET : OPT_WRITE_SOCKET];
    const char *secret =
        text[i == 0 || text[OPT_WRITE_SECRET] == NULL ? OPT_SECRET : OPT_WRITE_SECRET];
    place->secret = copy(secret);
    place->path = copy(path);
    if (path != NULL) continue;
    place->host = copy(text[OPT_HOST]);
    place->port = copy(text[i == 0 ? OPT_PORT : OPT_WRITE_PORT]);
  }
}

hs_client *hs_connect(const char *url, hs_error *error) {
  hs_client *client = calloc(1, sizeof *client);
  pthread_condattr_t clock;
  if (client == NULL) {
    (void)hs_fail(error, HS_CONFIGURATION, "no memory");
    return NULL;
  }
  (void)pthread_mutex_init(&client->mutex, NULL);
  (void)pthread_condattr_init(&clock);
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&client->freed, &clock);
  (void)pthread_condattr_destroy(&clock);
  client->seed = (unsigned)(hs_now() * 1e6) ^ (unsigned)(uintptr_t)client;
  int bad = hs_options_read(&client->options, url, error);
  if (!bad) add_places(client);
  if (!bad) bad = add_replicas(client, error);
  if (!bad && client->options.tls) bad = hs_tls_setup(client, error);
  if (!bad) return client;
  hs_close(client);
  return NULL;
}

void hs_close(hs_client *client) {
  if (client == NULL) return;
  for (size_t i = 0; i < 2 + client->replicas; i++) hs_place_clear(&client->places[i]);
  for (hs_spec *spec = client->specs, *next; spec != NULL; spec = next) {
    next = spec->next;
    free(spec->open);
    free(spec);
  }
  SSL_CTX_free(client->tls);
  BIO_meth_free(client->bio);
  hs_options_free(&client->options);
  (void)pthread_cond_destroy(&client->freed);
  (void)pthread_mutex_destroy(&client->mutex);
  free(client);
}

void hs_set_hook(hs_client *client, hs_hook hook, void *argument) {
  client->hook = hook;
  client->hook_argument = argument;
}

/* The spec with this text, so that equal tables share what is open. Takes the text. */
static const hs_spec *intern(hs_client *client, char *open) {
  (void)pthread_mutex_lock(&client->mutex);
  hs_spec *spec = client->specs;
  while (spec != NULL && strcmp(spec->open, open) != 0) spec = spec->next;
  if (spec != NULL) {
    free(open);
  } else if ((spec = calloc(1, sizeof *spec)) != NULL) {
    *spec = (hs_spec){client->specs, open};
    client->specs = spec;
  } else {
    free(open);
  }
  (void)pthread_mutex_unlock(&client->mutex);
  return spec;
}

hs_table *hs_table_new(hs_client *client, const char *name, const char *index, const char *columns,
                       const char *filter_columns, hs_error *error) {
  hs_table *table = calloc(1, sizeof *table);
  char *whole = copy(name), *dot = whole != NULL ? strchr(whole, '.') : NULL;
  const char *database = dot != NULL ? whole : client->options.text[OPT_DATABASE];
  hs_buf open = {0};
  if (dot != NULL) *dot = 0;
  int bad = table == NULL ? hs_fail(error, HS_VALUE, "no memory") : 0;
  if (!bad)
    bad = hs_encode_open(&open, database, dot != NULL ? dot + 1 : whole,
                         index != NULL ? index : "PRIMARY", columns, filter_columns, error);
  free(whole);
  hs_buf_add(&open, "", 1);
  if (bad || open.failed) {
    hs_buf_free(&open);
    free(table);
    return NULL;
  }
  table->client = client;
  table->name = copy(name);
  table->spec = intern(client, open.data);
  if (table->spec != NULL && table->name != NULL) return table;
  (void)hs_fail(error, HS_VALUE, "no memory");
  hs_table_free(table);
  return NULL;
}

void hs_table_free(hs_table *table) {
  if (table == NULL) return;
  free(table->name);
  free(table);
}
