/* The options: their defaults, where they come from, and what they may be. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const struct {
  const char *name, *otherwise;
} known[OPT_COUNT] = {{"host", "127.0.0.1"},  {"port", "9998"},
                      {"write_port", "9999"}, {"socket", NULL},
                      {"write_socket", NULL}, {"database", NULL},
                      {"user", NULL},         {"password", NULL},
                      {"secret", NULL},       {"write_secret", NULL},
                      {"tls", "off"},         {"tls_ca", NULL},
                      {"tls_cert", NULL},     {"tls_key", NULL},
                      {"tls_name", NULL},     {"connect_timeout", "5"},
                      {"timeout", "30"},      {"pool_size", "16"},
                      {"max_idle", "60"},     {"name", "handlersocket2-c/" HS_VERSION},
                      {"replicas", NULL},     {"read_your_writes", "off"},
                      {"gtid_timeout", "1"},  {"retries", "2"}};

void hs_options_free(hs_options *o) {
  for (int i = 0; i < OPT_COUNT; i++) free(o->text[i]);
  memset(o, 0, sizeof *o);
}

const char *hs_option_name(int option) { return known[option].name; }

int hs_option_number(const char *name) {
  for (int i = 0; i < OPT_COUNT; i++)
    if (strcmp(name, known[i].name) == 0) return i;
  return -1;
}

int hs_option_set(hs_options *o, int option, const char *value, hs_error *error) {
  o->text[option] = strdup(value);
  return o->text[option] != NULL ? 0 : hs_fail(error, HS_CONFIGURATION, "there is no memory");
}

static int number(const hs_options *o, int option, double most, double *out, hs_error *error) {
  const char *text = o->text[option];
  size_t whole = strspn(text, "0123456789");
  size_t decimals = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
  size_t length = decimals > 0 ? whole + 1 + decimals : whole;
  if (whole > 0 && text[length] == 0 && hs_parse_double(text, out) == 0 && *out <= most) return 0;
  return hs_fail(error, HS_CONFIGURATION, "%s is no number from 0 to %g", known[option].name, most);
}

static int whole(const hs_options *o, int option, unsigned least, unsigned most, unsigned *out,
                 hs_error *error) {
  const char *text = o->text[option];
  uint64_t value;
  if (hs_value_uint64(hs_text(text), &value) == 0 && value >= least && value <= most) {
    *out = (unsigned)value;
    return 0;
  }
  return hs_fail(error, HS_CONFIGURATION, "%s is no number from %u to %u", known[option].name,
                 least, most);
}

static int numbers(hs_options *o, hs_error *error) {
  unsigned pool = 0, port = 0;
  if (whole(o, OPT_PORT, 1, 65535, &port, error) != 0 ||
      whole(o, OPT_WRITE_PORT, 1, 65535, &port, error) != 0 ||
      whole(o, OPT_POOL_SIZE, 1, 65536, &pool, error) != 0 ||
      whole(o, OPT_RETRIES, 0, 1000, &o->retries, error) != 0)
    return -1;
  o->pool_size = pool;
  if (number(o, OPT_CONNECT_TIMEOUT, 1e9, &o->connect_timeout, error) != 0 ||
      number(o, OPT_TIMEOUT, 1e9, &o->timeout, error) != 0 ||
      number(o, OPT_MAX_IDLE, 1e9, &o->max_idle, error) != 0 ||
      number(o, OPT_GTID_TIMEOUT, 600, &o->gtid_timeout, error) != 0)
    return -1;
  return 0;
}

static int check(hs_options *o, hs_error *error) {
  if (numbers(o, error) != 0) return -1;
  const char *tls = o->text[OPT_TLS], *own = o->text[OPT_READ_YOUR_WRITES];
  o->verify = strcmp(tls, "verify") == 0;
  o->tls = o->verify || strcmp(tls, "require") == 0;
  if (!o->tls && strcmp(tls, "off") != 0)
    return hs_fail(error, HS_CONFIGURATION, "tls is none of off, require, verify");
  if ((o->text[OPT_TLS_CERT] == NULL) != (o->text[OPT_TLS_KEY] == NULL))
    return hs_fail(error, HS_CONFIGURATION, "tls_cert and tls_key belong together");
  o->read_your_writes = strcmp(own, "on") == 0;
  if (!o->read_your_writes && strcmp(own, "off") != 0)
    return hs_fail(error, HS_CONFIGURATION, "read_your_writes is neither on nor off");
  for (const char *at = o->text[OPT_NAME]; *at != 0; at++)
    if ((unsigned char)*at < 0x10)
      return hs_fail(error, HS_CONFIGURATION, "name has a control character");
  return 0;
}

static int from_environment(hs_options *o, hs_error *error) {
  /* NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets a variable */
  const char *password = getenv("HS_PASSWORD"), *secret = getenv("HS_SECRET");
  if (password != NULL && o->text[OPT_PASSWORD] == NULL &&
      hs_option_set(o, OPT_PASSWORD, password, error) != 0)
    return -1;
  if (secret != NULL && o->text[OPT_SECRET] == NULL)
    return hs_option_set(o, OPT_SECRET, secret, error);
  return 0;
}

/* The URL says where the server is; then a file does not. */
static int take_file(hs_options *o, hs_options *file, int has_url, hs_error *error) {
  for (int i = 0; i < OPT_COUNT; i++) {
    if (file->text[i] == NULL || o->text[i] != NULL) continue;
    if (has_url && (i <= OPT_WRITE_SOCKET)) continue;
    if (hs_option_set(o, i, file->text[i], error) != 0) return -1;
  }
  return 0;
}

int hs_options_read(hs_options *o, const char *url, hs_error *error) {
  hs_options file = {0};
  memset(o, 0, sizeof *o);
  /* NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets a variable */
  const char *variable = getenv("HS_URL");
  if (url == NULL && variable != NULL && *variable != 0) url = variable;
  int bad = url != NULL ? hs_options_from_url(o, url, error) : 0;
  if (!bad) bad = from_environment(o, error);
  if (!bad) bad = hs_options_from_file(&file, error);
  if (!bad) bad = take_file(o, &file, url != NULL, error);
  hs_options_free(&file);
  for (int i = 0; !bad && i < OPT_COUNT; i++)
    if (o->text[i] == NULL && known[i].otherwise != NULL)
      bad = hs_option_set(o, i, known[i].otherwise, error);
  return bad ? bad : check(o, error);
}
