/* The group [hs] of the option file. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
  return text;
}

static int read_line(hs_options *o, char *text, hs_error *error) {
  char *equals = strchr(text, '=');
  if (equals != NULL) *equals = 0;
  const char *name = trim(text);
  int option = hs_option_number(name);
  if (option < 0)
    return hs_fail(error, HS_CONFIGURATION, "option file: option %.40s is unknown", name);
  if (equals == NULL)
    return hs_fail(error, HS_CONFIGURATION, "option file: option %s has no value", name);
  if (o->text[option] != NULL)
    return hs_fail(error, HS_CONFIGURATION, "option file: option %s is given twice", name);
  return hs_option_set(o, option, trim(equals + 1), error);
}

static int read_lines(hs_options *o, FILE *file, hs_error *error) {
  char *line = NULL;
  size_t size = 0;
  int grouped = 0, ours = 0, bad = 0;
  ssize_t length;
  while (!bad && (length = getline(&line, &size, file)) >= 0) {
    if (strlen(line) != (size_t)length || !hs_is_utf8(line)) {
      bad = hs_fail(error, HS_CONFIGURATION, "option file: it has a NUL byte, or is no UTF-8");
      break;
    }
    char *text = trim(line), *end = strchr(text, ']');
    if (*text == 0 || *text == '#' || *text == ';') continue;
    if (*text == '!') {
      bad = hs_fail(error, HS_CONFIGURATION, "option file: no other file is included");
    } else if (*text == '[' && end == NULL) {
      bad = hs_fail(error, HS_CONFIGURATION, "option file: a group has no ]");
    } else if (*text == '[') {
      *end = 0;
      grouped = 1;
      ours = strcasecmp(trim(text), "[hs") == 0;
    } else if (!grouped) {
      bad = hs_fail(error, HS_CONFIGURATION, "option file: a line stands before the first group");
    } else if (ours) {
      bad = read_line(o, text, error);
    }
  }
  if (!bad && ferror(file) != 0)
    bad = hs_fail_system(error, HS_CONFIGURATION, "the option file", errno);
  free(line);
  return bad;
}

/* A file that is named must be there; the one in the home need not. */
int hs_options_from_file(hs_options *o, hs_error *error) {
  /* NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets a variable */
  const char *path = getenv("HS_OPTION_FILE"), *home = getenv("HOME");
  int named = path != NULL && *path != 0;
  hs_buf own = {0};
  if (!named && home == NULL) return 0;
  hs_buf_text(&own, named ? path : home);
  hs_buf_text(&own, named ? "" : "/.hs.cnf");
  hs_buf_add(&own, "", 1);
  FILE *file = own.failed ? NULL : fopen(own.data, "re");
  hs_buf_free(&own);
  if (file == NULL && (named || errno != ENOENT))
    return hs_fail_system(error, HS_CONFIGURATION, "the option file", errno);
  if (file == NULL) return 0;
  int bad = read_lines(o, file, error);
  (void)fclose(file);
  return bad;
}
