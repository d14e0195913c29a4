#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

static const char *const names[] = {"",
                                    "ConfigurationError",
                                    "ValueError",
                                    "ConnectionError",
                                    "TimeoutError",
                                    "ProtocolError",
                                    "UnsupportedError",
                                    "ServerError",
                                    "DuplicateKeyError",
                                    "LockTimeoutError",
                                    "DeadlockError",
                                    "TransactionLostError",
                                    "ForeignKeyError",
                                    "ConstraintError",
                                    "NotFoundError",
                                    "ReadOnlyError",
                                    "AuthenticationError",
                                    "AccessDeniedError",
                                    "OverloadedError",
                                    "UnavailableError"};

static const struct {
  const char *text;
  hs_error_class kind;
} classes[] = {
    {"121", HS_DUPLICATE_KEY},
    {"123", HS_TRANSACTION_LOST},
    {"146", HS_LOCK_TIMEOUT},
    {"149", HS_DEADLOCK},
    {"151", HS_FOREIGN_KEY},
    {"152", HS_FOREIGN_KEY},
    {"lock_tables", HS_LOCK_TIMEOUT},
    {"transaction_lost", HS_TRANSACTION_LOST},
    {"sql_1048", HS_CONSTRAINT},
    {"sql_1264", HS_CONSTRAINT},
    {"sql_1265", HS_CONSTRAINT},
    {"sql_1292", HS_CONSTRAINT},
    {"sql_1364", HS_CONSTRAINT},
    {"sql_1366", HS_CONSTRAINT},
    {"sql_1406", HS_CONSTRAINT},
    {"sql_4025", HS_CONSTRAINT},
    {"open_table", HS_NOT_FOUND},
    {"idxnum", HS_NOT_FOUND},
    {"fld", HS_NOT_FOUND},
    {"readonly", HS_READ_ONLY},
    {"unauth", HS_AUTHENTICATION},
    {"authtype", HS_AUTHENTICATION},
    {"insecure_transport", HS_AUTHENTICATION},
    {"access_denied", HS_ACCESS_DENIED},
    {"max_memory", HS_OVERLOADED},
    {"shutdown", HS_UNAVAILABLE},
};

const char *hs_error_name(hs_error_class kind) {
  return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

void hs_fill(hs_error *error, hs_error_class kind, const char *format, ...) {
  if (error == NULL) return;
  va_list arguments;
  memset(error, 0, sizeof *error);
  error->kind = kind;
  va_start(arguments, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it does not know va_start here */
  (void)vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
}

int hs_fail_system(hs_error *error, hs_error_class kind, const char *what, int number) {
  char text[200] = "";
  (void)strerror_r(number, text, sizeof text);
  return hs_fail(error, kind, "%s: %s", what, text);
}

void hs_server_error(hs_error *error, int code, hs_value text) {
  if (error == NULL) return;
  (void)hs_fail(error, HS_SERVER, "%s", "");
  size_t len = text.len < sizeof error->text - 1 ? text.len : sizeof error->text - 1;
  if (len != 0) memcpy(error->text, text.data, len);
  error->text[len] = 0;
  error->code = code;
  size_t word = strcspn(error->text, " ");
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strlen(classes[i].text) == word && memcmp(classes[i].text, error->text, word) == 0)
      error->kind = classes[i].kind;
  if (strncmp(error->text, "too_many_", 9) == 0) error->kind = HS_OVERLOADED;
  if (strncmp(error->text, "sql_", 4) == 0) error->number = (int)strtol(error->text + 4, NULL, 10);
  if (error->kind == HS_ACCESS_DENIED && error->text[word] == ' ')
    error->number = (int)strtol(error->text + word + 1, NULL, 10);
}
