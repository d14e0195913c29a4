/* The options: their defaults, where they come from, and what they may be. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum kind { TEXT, SECRET, NAME, WHOLE, SECONDS, TLS, ON_OFF, REPLICAS };

static const struct {
  const char *name, *otherwise;
  enum kind kind;
  unsigned least, most;
} known[OPT_COUNT] = {{"host", "127.0.0.1", TEXT, 0, 0},
                      {"port", "9998", WHOLE, 1, 65535},
                      {"write_port", "9999", WHOLE, 1, 65535},
                      {"socket", NULL, TEXT, 0, 0},
                      {"write_socket", NULL, TEXT, 0, 0},
                      {"database", NULL, TEXT, 0, 0},
                      {"user", NULL, TEXT, 0, 0},
                      {"password", NULL, SECRET, 0, 0},
                      {"secret", NULL, SECRET, 0, 0},
                      {"write_secret", NULL, SECRET, 0, 0},
                      {"tls", "off", TLS, 0, 0},
                      {"tls_ca", NULL, TEXT, 0, 0},
                      {"tls_cert", NULL, TEXT, 0, 0},
                      {"tls_key", NULL, TEXT, 0, 0},
                      {"tls_name", NULL, TEXT, 0, 0},
                      {"connect_timeout", "5", SECONDS, 0, 1000000},
                      {"timeout", "30", SECONDS, 0, 1000000},
                      {"pool_size", "16", WHOLE, 1, 65535},
                      {"max_idle", "60", SECONDS, 0, 1000000},
                      {"name", "handlersocket2-c/" HS_VERSION, NAME, 0, 0},
                      {"replicas", NULL, REPLICAS, 0, HS_REPLICAS},
                      {"read_your_writes", "off", ON_OFF, 0, 0},
                      {"gtid_timeout", "1", SECONDS, 0, 600},
                      {"retries", "2", WHOLE, 0, 1000}};

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

static double number(const char *text) {
  double value = 0;
  return hs_parse_double(text, &value) == 0 ? value : -1;
}

/* From one digit to ten and, where that may be, a point and decimals. */
static int is_number(const char *text, int decimals) {
  const char *digits = "0123456789";
  size_t length = strspn(text, digits);
  if (length < 1 || length > 10) return 0;
  if (!decimals || text[length] != '.') return text[length] == 0;
  size_t more = strspn(text + length + 1, digits);
  return more > 0 && text[length + 1 + more] == 0;
}

int hs_split_replica(char *text, char **host, char **port) {
  if (strpbrk(text, " \t/") != NULL || hs_split_address(text, host, port) != 0) return -1;
  if (**host == 0 || *port == NULL || strlen(*port) > 5 || !is_number(*port, 0)) return -1;
  double value = number(*port);
  return value >= 1 && value <= 65535 ? 0 : -1;
}

static int are_replicas(const char *text, unsigned most) {
  char *list = strdup(text), *host, *port;
  int good = list != NULL;
  for (char *at = list, *next; good && at != NULL; at = next) {
    next = strchr(at, ',');
    if (next != NULL) *next++ = 0;
    good = most-- > 0 && hs_split_replica(at, &host, &port) == 0;
  }
  free(list);
  return good;
}

static int has_control(const char *text) {
  for (; *text != 0; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) return 1;
  return 0;
}

static int fits(int option, const char *text) {
  unsigned least = known[option].least, most = known[option].most;
  switch (known[option].kind) {
    case TEXT:
      return *text != 0;
    case SECRET:
      return 1;
    case NAME:
      return *text != 0 && !has_control(text);
    case WHOLE:
      return is_number(text, 0) && number(text) >= least && number(text) <= most;
    case SECONDS:
      return is_number(text, 1) && number(text) <= most;
    case TLS:
      return strcmp(text, "off") == 0 || strcmp(text, "require") == 0 ||
             strcmp(text, "verify") == 0;
    case ON_OFF:
      return strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
    default:
      return are_replicas(text, most);
  }
}

int hs_option_wrong(int option, hs_error *error) {
  const char *name = known[option].name;
  unsigned least = known[option].least, most = known[option].most;
  switch (known[option].kind) {
    case TEXT:
      return hs_fail(error, HS_CONFIGURATION, "%s is text of one character or more, without NUL",
                     name);
    case SECRET:
      return hs_fail(error, HS_CONFIGURATION, "%s is text without NUL", name);
    case NAME:
      return hs_fail(error, HS_CONFIGURATION,
                     "%s is text of one character or more, without control characters", name);
    case WHOLE:
      return hs_fail(error, HS_CONFIGURATION, "%s is a whole number from %u to %u", name, least,
                     most);
    case SECONDS:
      return hs_fail(error, HS_CONFIGURATION, "%s is seconds from 0 to %u", name, most);
    case TLS:
      return hs_fail(error, HS_CONFIGURATION, "%s is off, require or verify", name);
    case ON_OFF:
      return hs_fail(error, HS_CONFIGURATION, "%s is on or off", name);
    default:
      return hs_fail(error, HS_CONFIGURATION, "%s is host:port,host:port, %u at most", name, most);
  }
}

int hs_option_set(hs_options *o, int option, const char *value, hs_error *error) {
  if (!fits(option, value)) return hs_option_wrong(option, error);
  o->text[option] = strdup(value);
  return o->text[option] != NULL ? 0 : hs_fail(error, HS_CONFIGURATION, "there is no memory");
}

/* What the texts mean, which are checked. */
static int understand(hs_options *o, hs_error *error) {
  o->pool_size = (size_t)number(o->text[OPT_POOL_SIZE]);
  o->retries = (unsigned)number(o->text[OPT_RETRIES]);
  o->connect_timeout = number(o->text[OPT_CONNECT_TIMEOUT]);
  o->timeout = number(o->text[OPT_TIMEOUT]);
  o->max_idle = number(o->text[OPT_MAX_IDLE]);
  o->gtid_timeout = number(o->text[OPT_GTID_TIMEOUT]);
  o->verify = strcmp(o->text[OPT_TLS], "verify") == 0;
  o->tls = strcmp(o->text[OPT_TLS], "off") != 0;
  o->read_your_writes = strcmp(o->text[OPT_READ_YOUR_WRITES], "on") == 0;
  if ((o->text[OPT_TLS_CERT] == NULL) != (o->text[OPT_TLS_KEY] == NULL))
    return hs_fail(error, HS_CONFIGURATION, "tls_cert and tls_key belong together");
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
  return bad ? bad : understand(o, error);
}
