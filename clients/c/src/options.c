#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
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

static int set(hs_options *o, const char *name, const char *value, int again, hs_error *error) {
  for (int i = 0; i < OPT_COUNT; i++) {
    if (strcmp(name, known[i].name) != 0) continue;
    if (o->text[i] != NULL)
      return again ? 0 : hs_fail(error, HS_CONFIGURATION, "option %s is given twice", name);
    o->text[i] = strdup(value);
    return o->text[i] != NULL ? 0 : hs_fail(error, HS_CONFIGURATION, "no memory");
  }
  return hs_fail(error, HS_CONFIGURATION, "option %.40s is unknown", name);
}

/* Takes the percents out of a text, in its place. */
static int decode(char *text) {
  char *out = text;
  for (const char *in = text; *in != 0; in++) {
    if (*in != '%') {
      *out++ = *in;
      continue;
    }
    if (!isxdigit((unsigned char)in[1]) || !isxdigit((unsigned char)in[2])) return -1;
    char digits[] = {in[1], in[2], 0};
    *out = (char)strtol(digits, NULL, 16);
    if (*out++ == 0) return -1;
    in += 2;
  }
  *out = 0;
  return 0;
}

static int set_decoded(hs_options *o, const char *name, char *value, hs_error *error) {
  if (decode(value) != 0)
    return hs_fail(error, HS_CONFIGURATION, "%s has a wrong percent encoding", name);
  return set(o, name, value, 0, error);
}

static int set_place(hs_options *o, char *place, hs_error *error) {
  char *at = strrchr(place, '@');
  if (at != NULL) {
    *at = 0;
    char *colon = strchr(place, ':');
    if (colon != NULL) {
      *colon = 0;
      if (set_decoded(o, "password", colon + 1, error) != 0) return -1;
    }
    if (*place != 0 && set_decoded(o, "user", place, error) != 0) return -1;
    place = at + 1;
  }
  char *end = place;
  if (*place == '[') {
    end = strchr(++place, ']');
    if (end == NULL) return hs_fail(error, HS_CONFIGURATION, "host has no ] at its end");
    *end++ = 0;
    if (*end != 0 && *end != ':') return hs_fail(error, HS_CONFIGURATION, "host is no address");
  }
  char *colon = strchr(end, ':');
  if (colon != NULL) {
    *colon = 0;
    if (set(o, "port", colon + 1, 0, error) != 0) return -1;
  }
  return *place != 0 ? set_decoded(o, "host", place, error) : 0;
}

static int read_url(hs_options *o, char *url, hs_error *error) {
  char *query = strchr(url, '?');
  if (query != NULL) *query++ = 0;
  if (strncmp(url, "hs+unix://", 10) == 0) {
    if (url[10] != '/') return hs_fail(error, HS_CONFIGURATION, "socket has no absolute path");
    if (set_decoded(o, "socket", url + 10, error) != 0) return -1;
  } else if (strncmp(url, "hs://", 5) == 0) {
    char *slash = strchr(url + 5, '/');
    if (slash != NULL) *slash++ = 0;
    if (set_place(o, url + 5, error) != 0) return -1;
    if (slash != NULL && *slash != 0 && set_decoded(o, "database", slash, error) != 0) return -1;
  } else {
    return hs_fail(error, HS_CONFIGURATION, "url begins with neither hs:// nor hs+unix://");
  }
  char *rest = NULL;
  for (char *part = query != NULL ? strtok_r(query, "&", &rest) : NULL; part != NULL;
       part = strtok_r(NULL, "&", &rest)) {
    char *value = strchr(part, '=');
    if (value == NULL) return hs_fail(error, HS_CONFIGURATION, "option %.40s has no value", part);
    *value++ = 0;
    if (set_decoded(o, part, value, error) != 0) return -1;
  }
  return 0;
}

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
  return text;
}

/* A file that is named must be there; the one in the home need not. */
static int read_file(hs_options *o, hs_error *error) {
  const char *path = getenv("HS_OPTION_FILE"), *home = getenv("HOME");
  int named = path != NULL && *path != 0;
  char buffer[4096], line[4096];
  if (!named && home == NULL) return 0;
  if (!named) (void)snprintf(buffer, sizeof buffer, "%s/.hs.cnf", home);
  FILE *file = fopen(named ? path : buffer, "r");
  if (file == NULL)
    return named ? hs_fail(error, HS_CONFIGURATION, "HS_OPTION_FILE: %s", strerror(errno)) : 0;
  int ours = 0, bad = 0;
  while (!bad && fgets(line, sizeof line, file) != NULL) {
    char *comment = strchr(line, '#');
    if (comment != NULL) *comment = 0;
    char *text = trim(line), *equals = strchr(text, '=');
    if (*text == '[') ours = strcmp(text, "[hs]") == 0;
    if (*text == 0 || *text == '[' || !ours) continue;
    if (equals == NULL) {
      bad = hs_fail(error, HS_CONFIGURATION, "option file: %.40s has no value", text);
    } else {
      *equals = 0;
      bad = set(o, trim(text), trim(equals + 1), 1, error);
    }
  }
  (void)fclose(file);
  return bad;
}

static int number(const hs_options *o, int option, double least, double most, int whole,
                  double *out, hs_error *error) {
  char *end;
  const char *text = o->text[option];
  *out = strtod(text, &end);
  if (!isdigit((unsigned char)*text) || *end != 0 || !(*out >= least && *out <= most) ||
      (whole && strspn(text, "0123456789") != strlen(text)))
    return hs_fail(error, HS_CONFIGURATION, "%s is not from %g to %g", known[option].name, least,
                   most);
  return 0;
}

static int check(hs_options *o, hs_error *error) {
  double pool, retries, port;
  if (number(o, OPT_PORT, 1, 65535, 1, &port, error) != 0 ||
      number(o, OPT_WRITE_PORT, 1, 65535, 1, &port, error) != 0 ||
      number(o, OPT_CONNECT_TIMEOUT, 0.001, 1e6, 0, &o->connect_timeout, error) != 0 ||
      number(o, OPT_TIMEOUT, 0, 1e6, 0, &o->timeout, error) != 0 ||
      number(o, OPT_MAX_IDLE, 0, 1e6, 0, &o->max_idle, error) != 0 ||
      number(o, OPT_GTID_TIMEOUT, 0, 600, 0, &o->gtid_timeout, error) != 0 ||
      number(o, OPT_POOL_SIZE, 1, 10000, 1, &pool, error) != 0 ||
      number(o, OPT_RETRIES, 0, 100, 1, &retries, error) != 0)
    return -1;
  o->pool_size = (size_t)pool;
  o->retries = (unsigned)retries;
  const char *tls = o->text[OPT_TLS], *own = o->text[OPT_READ_YOUR_WRITES];
  o->verify = strcmp(tls, "verify") == 0;
  o->tls = o->verify || strcmp(tls, "require") == 0;
  if (!o->tls && strcmp(tls, "off") != 0)
    return hs_fail(error, HS_CONFIGURATION, "tls is none of off, require, verify");
  o->read_your_writes = strcmp(own, "on") == 0;
  if (!o->read_your_writes && strcmp(own, "off") != 0)
    return hs_fail(error, HS_CONFIGURATION, "read_your_writes is neither on nor off");
  if (o->text[OPT_NAME] != NULL && strpbrk(o->text[OPT_NAME], "\t\n\r") != NULL)
    return hs_fail(error, HS_CONFIGURATION, "name has a TAB, LF or CR");
  return 0;
}

int hs_options_read(hs_options *o, const char *url, hs_error *error) {
  memset(o, 0, sizeof *o);
  if (url == NULL) url = getenv("HS_URL");
  char *copy = url != NULL && *url != 0 ? strdup(url) : NULL;
  int bad = copy != NULL ? read_url(o, copy, error) : 0;
  free(copy);
  const char *password = getenv("HS_PASSWORD"), *secret = getenv("HS_SECRET");
  if (!bad && password != NULL) bad = set(o, "password", password, 1, error);
  if (!bad && secret != NULL) bad = set(o, "secret", secret, 1, error);
  if (!bad) bad = read_file(o, error);
  for (int i = 0; !bad && i < OPT_COUNT; i++)
    if (o->text[i] == NULL && known[i].otherwise != NULL)
      bad = set(o, known[i].name, known[i].otherwise, 0, error);
  return bad ? bad : check(o, error);
}
