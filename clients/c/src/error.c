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

/* What is said behind the server's word, which is short. */
static const char *const hints[][2] = {
    {"121", "a row with this key is there already"},
    {"123", "another session has changed the row meanwhile; try again"},
    {"146", "another session held the row for too long; try again"},
    {"149", "a deadlock; try again"},
    {"151", "the row that a foreign key refers to is not there"},
    {"152", "another row refers to this one by a foreign key"},
    {"lock_tables", "another session held the table for too long, or the server is read-only"},
    {"transaction_lost", "the server has rolled the transaction back; begin it again"},
    {"open_table", "there is no such table, or it cannot be served"},
    {"idxnum", "the table has no such index, or it cannot be searched"},
    {"fld", "the table has no such column"},
    {"readonly",
     "changes are not taken here, but on the write port, and in transactions that may write"},
    {"unauth",
     "the port asks for an account or a secret, or the one that was given is refused; "
     "accounts of MySQL need tls=verify or a Unix socket"},
    {"authtype", "the port does not take this kind of login"},
    {"insecure_transport", "the server takes connections with TLS only"},
    {"access_denied 1226",
     "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later"},
    {"access_denied", "the account has no privilege for this"},
    {"max_memory", "the server has reached handlersocket_max_memory; try again later"},
    {"shutdown", "the server is shutting down"},
    {"too_many_indexes", "the connection has as many open indexes as it may have"},
    {"too_many_connections", "the server has reached handlersocket_max_connections"},
    {"too_many_rows", "one request may not change or give so many rows; use a smaller limit"},
    {"too_many_keys", "the list is longer than handlersocket_max_in_keys"},
    {"too_many_columns", "the list is longer than handlersocket_max_columns"},
    {"too_many_logins", "as many logins wait as the server lets wait; try again later"},
    {"too_many_waits",
     "as many connections wait for a GTID as the server lets wait; try again later"},
    {"too_many_transactions",
     "the server has reached handlersocket_max_transactions; try again later"},
    {"cmd", "the server does not know this request: it is no HandlerSocket 2, or an old one"},
    {"op", "the index does not take this operator"},
    {"kpnum", "the key has more values than the index has columns"},
    {"fldnum", "there are more values than columns"},
    {"filterblob", "TEXT and BLOB columns can only be compared with NULL"},
    {"notimpl", "this server does not serve this request"},
    {"number", "an amount, a limit or an offset is no integer, or out of its range"},
    {"request_too_long", "the request is longer than handlersocket_max_request_size"},
    {"reply_too_long", "the reply is longer than handlersocket_max_reply_size; ask for fewer rows"},
    {"unsupported_table", "the table has a feature that is not served on this port; use SQL"},
    {"interrupted", "the request was killed, and nothing of it was done"},
    {"gtid", "this is no list of GTIDs"},
    {"no_binary_log", "the server writes no binary log, so changes have no GTID"},
    {"in_transaction", "this is not taken within a transaction"},
    {"no_transaction", "the connection is in no transaction"},
    {"not_a_number", "the value of the column is no number that can be counted"},
};

const char *hs_error_hint(const hs_error *error) {
  size_t word = strcspn(error->text, " ");
  for (size_t i = 0; error->code != 0 && i < sizeof hints / sizeof *hints; i++) {
    int is_word = strlen(hints[i][0]) == word && memcmp(hints[i][0], error->text, word) == 0;
    if (is_word || strcmp(hints[i][0], error->text) == 0) return hints[i][1];
  }
  return "";
}

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
