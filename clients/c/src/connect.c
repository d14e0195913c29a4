/* Clients: what they are made of. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static char *copy(const char *text) { return text != NULL ? strdup(text) : NULL; }

static int add_replica(hs_client *client, char *address) {
  char *host = NULL, *port = NULL;
  if (hs_split_replica(address, &host, &port) != 0) return -1;
  hs_place *place = &client->places[2 + client->replicas++];
  place->host = copy(host);
  place->port = copy(port);
  place->secret = copy(client->options.text[OPT_SECRET]);
  return hs_place_init(place);
}

static int add_replicas(hs_client *client) {
  char *list = copy(client->options.text[OPT_REPLICAS]);
  int bad = 0;
  for (char *at = list, *next; at != NULL && !bad; at = next) {
    next = strchr(at, ',');
    if (next != NULL) *next++ = 0;
    bad = add_replica(client, at);
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
  if (client == NULL) {
    (void)hs_no_memory(error);
    return NULL;
  }
  client->seed = (unsigned)(hs_now() * 1e6) ^ (unsigned)(uintptr_t)client;
  (void)pthread_mutex_init(&client->mutex, NULL);
  (void)hs_place_init(&client->places[0]);
  (void)hs_place_init(&client->places[1]);
  int bad = hs_options_read(&client->options, url, error);
  if (!bad) add_places(client);
  if (!bad && add_replicas(client) != 0) bad = hs_no_memory(error);
  if (!bad && client->options.tls) bad = hs_tls_setup(client, error);
  if (!bad) return client;
  hs_close(client);
  return NULL;
}

void hs_close(hs_client *client) {
  if (client == NULL) return;
  for (size_t i = 0; i < 2 + client->replicas; i++) hs_place_clear(&client->places[i]);
  hs_specs_free(client);
  hs_layouts_free(client);
  SSL_CTX_free(client->tls);
  BIO_meth_free(client->bio);
  hs_options_free(&client->options);
  (void)pthread_mutex_destroy(&client->mutex);
  free(client);
}

void hs_set_hook(hs_client *client, hs_hook hook, void *argument) {
  client->hook = hook;
  client->hook_argument = argument;
}

static const char *const features[] = {"count",    "upsert", "returning", "transaction",
                                       "describe", "gtid",   "all",       "descending"};
enum { FEATURES = sizeof features / sizeof *features };

unsigned hs_features_of(const char *list) {
  unsigned has = 0;
  for (size_t len; *list != 0; list += len + (list[len] == ',')) {
    len = strcspn(list, ",");
    for (unsigned i = 0; i < FEATURES; i++)
      if (hs_is(hs_bytes(list, len), features[i])) has |= 1u << i;
  }
  return has;
}

const char *hs_feature_name(unsigned feature) {
  for (unsigned i = 0; i < FEATURES; i++)
    if (feature & (1u << i)) return features[i];
  return "";
}
