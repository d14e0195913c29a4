/* URLs: hs://user:password@host:port/database?option=value and hs+unix://user:password@/path?... */
#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Takes the percents out of a text, in its place. Returns its length, which a NUL in it counts in; -1:
   a percent begins no byte. */
static ptrdiff_t decode(char *text) {
  char *out = text;
  for (const char *in = text; *in != 0; in++) {
    if (*in != '%') {
      *out++ = *in;
      continue;
    }
    if (!isxdigit((unsigned char)in[1]) || !isxdigit((unsigned char)in[2])) return -1;
    char digits[] = {in[1], in[2], 0};
    *out++ = (char)strtol(digits, NULL, 16);
    in += 2;
  }
  *out = 0;
  return out - text;
}

/* How many bytes of UTF-8 follow this first one; -1: it is none. */
static int followers(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  return first >= 0xf0 && first <= 0xf4 ? 3 : -1;
}

int hs_is_utf8(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at != 0) {
    unsigned char first = *at++;
    int more = followers(first);
    if (more < 0) return 0;
    if ((first == 0xe0 && *at < 0xa0) || (first == 0xed && *at > 0x9f) ||
        (first == 0xf0 && *at < 0x90) || (first == 0xf4 && *at > 0x8f))
      return 0;
    for (; more > 0; more--, at++)
      if ((*at & 0xc0) != 0x80) return 0;
  }
  return 1;
}

static int give(hs_options *o, const char *name, char *value, hs_error *error) {
  int option = hs_option_number(name);
  if (option < 0) return hs_fail(error, HS_CONFIGURATION, "option %.40s is unknown", name);
  if (o->text[option] != NULL)
    return hs_fail(error, HS_CONFIGURATION, "option %s is given twice", name);
  ptrdiff_t length = decode(value);
  if (length < 0) return hs_fail(error, HS_CONFIGURATION, "%s has a wrong percent encoding", name);
  if (strlen(value) != (size_t)length) return hs_option_wrong(option, error);
  if (!hs_is_utf8(value)) return hs_fail(error, HS_CONFIGURATION, "%s is no UTF-8", name);
  return hs_option_set(o, option, value, error);
}

int hs_split_address(char *text, char **host, char **port) {
  *host = text;
  char *end = text + strcspn(text, ":");
  if (*text == '[') {
    unsigned char address[16];
    end = strchr(text, ']');
    if (end == NULL) return -1;
    *end++ = 0;
    *host = text + 1;
    if (inet_pton(AF_INET6, *host, address) != 1) return -1;
  } else if (strpbrk(text, "[]") != NULL || (*end == ':' && strchr(end + 1, ':') != NULL)) {
    return -1; /* an IPv6 address stands in brackets */
  }
  *port = NULL;
  if (*end == ':') *port = end + 1;
  if (*end != 0 && *end != ':') return -1;
  *end = 0;
  return 0;
}

static int read_authority(hs_options *o, char *text, int tcp, hs_error *error) {
  char *at = strrchr(text, '@'), *host = NULL, *port = NULL;
  if (at != NULL) {
    *at = 0;
    char *colon = strchr(text, ':');
    if (colon != NULL) *colon = 0;
    if (give(o, "user", text, error) != 0) return -1;
    if (colon != NULL && give(o, "password", colon + 1, error) != 0) return -1;
    text = at + 1;
  }
  if (*text == 0) return 0;
  if (!tcp) return hs_fail(error, HS_CONFIGURATION, "a Unix socket has no host");
  if (hs_split_address(text, &host, &port) != 0)
    return hs_fail(error, HS_CONFIGURATION, "host is no name and no address");
  if (port != NULL && give(o, "port", port, error) != 0) return -1;
  return *host != 0 ? give(o, "host", host, error) : 0;
}

static int read_query(hs_options *o, char *query, hs_error *error) {
  while (query != NULL && *query != 0) {
    char *next = strchr(query, '&'), *value;
    if (next != NULL) *next++ = 0;
    value = strchr(query, '=');
    if (value == NULL) return hs_fail(error, HS_CONFIGURATION, "option %.40s has no value", query);
    *value++ = 0;
    if (give(o, query, value, error) != 0) return -1;
    query = next;
    if (query != NULL && *query == 0)
      return hs_fail(error, HS_CONFIGURATION, "an option is missing behind &");
  }
  return 0;
}

static int read_url(hs_options *o, char *url, hs_error *error) {
  int tcp = strncmp(url, "hs://", 5) == 0;
  if (!tcp && strncmp(url, "hs+unix://", 10) != 0)
    return hs_fail(error, HS_CONFIGURATION, "url begins with neither hs:// nor hs+unix://");
  for (const char *at = url; *at != 0; at++)
    if (*(const unsigned char *)at <= ' ' || *at == 0x7f || *at == '#')
      return hs_fail(error, HS_CONFIGURATION, "url has a blank, a control character or #");
  char *query = strchr(url, '?'), *text = strstr(url, "://") + 3;
  if (query != NULL) *query++ = 0;
  char *slash = strchr(text, '/'), *path = slash != NULL ? strdup(slash) : NULL;
  if (slash != NULL && path == NULL) return hs_fail(error, HS_CONFIGURATION, "there is no memory");
  if (slash != NULL) *slash = 0;
  int bad = read_authority(o, text, tcp, error);
  if (!bad && !tcp)
    bad = path != NULL ? give(o, "socket", path, error)
                       : hs_fail(error, HS_CONFIGURATION, "socket is missing");
  if (!bad && tcp && path != NULL && path[1] != 0) bad = give(o, "database", path + 1, error);
  free(path);
  return bad ? bad : read_query(o, query, error);
}

int hs_options_from_url(hs_options *o, const char *url, hs_error *error) {
  char *copy = strdup(url);
  if (copy == NULL) return hs_fail(error, HS_CONFIGURATION, "there is no memory");
  int bad = read_url(o, copy, error);
  free(copy);
  return bad;
}
