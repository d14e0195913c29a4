/* Changes, filters, a range, a pipeline and a transaction: tour URL, with the table test.user of
   docs/protocol.md. */
#include <handlersocket2.h>
#include <stdio.h>
#include <stdlib.h>

static hs_error error;

static void check(int result) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", hs_error_name(error.kind), error.text);
  exit(1);
}

static void print(hs_value value) {
  printf(" %.*s", value.data ? (int)value.len : 4, value.data ? value.data : "NULL");
}

static void add_users(hs_table *user, hs_reply *reply) {
  for (int i = 8001; i <= 8005; i++) {
    char id[HS_NUMBER], name[HS_NUMBER];
    snprintf(name, sizeof name, "user %d", i);
    const hs_field row[] = {{"user_id", hs_int64(i, id)}, {"user_name", hs_text(name)}};
    hs_added added;
    check(hs_insert(user, "+U", row, 2, NULL, 0, reply, &error));
    check(hs_reply_added(reply, &added, &error));
  }
}

static void print_some(hs_table *user) {
  const hs_value start = hs_text("8001"), stop = hs_text("8005");
  const hs_filter filter = {"user_name", "!=", hs_text("user 8002"), 0};
  const hs_bounds bounds = {
      .start = &start, .start_count = 1, .stop = &stop, .filters = &filter, .filter_count = 1};
  hs_range *range = hs_range_new(user, &bounds, &error);
  check(range != NULL ? 0 : -1);
  int more;
  while ((more = hs_range_next(range, &error)) > 0) print(hs_range_value(range, 1));
  check(more);
  hs_range_free(range);
  printf("\n");
}

static void print_pipeline(hs_client *client, hs_table *user, hs_reply *reply) {
  hs_batch *batch = hs_batch_new(client);
  const hs_value keys[] = {hs_text("8005"), hs_text("8999"), hs_text("8001")};
  for (int i = 0; i < 3; i++) {
    const hs_query one = {.key = &keys[i], .key_count = 1};
    check(hs_batch_find(batch, user, &one, &error));
  }
  check(hs_batch_run(batch, reply, &error));
  for (size_t i = 0; i < hs_reply_count(reply); i++) {
    check(hs_reply_select(reply, i, &error));
    print(hs_reply_value(reply, 0, 1));
  }
  hs_batch_free(batch);
  printf("\n");
}

static void rename_in_transaction(hs_client *client, hs_table *user, hs_reply *reply) {
  hs_transaction *transaction = hs_begin(client, NULL, 0, &error);
  check(transaction != NULL ? 0 : -1);
  hs_table *inside = hs_table_in(user, transaction, &error);
  check(inside != NULL ? 0 : -1);
  const hs_value key = hs_text("8001");
  const hs_query one = {.key = &key, .key_count = 1};
  const hs_field field = {"user_name", hs_text("renamed")};
  check(hs_change(inside, &one, "U!", &field, 1, reply, &error));
  print(hs_reply_value(reply, 0, 0));
  hs_table_free(inside);
  check(hs_commit(transaction, &error));
  const hs_query all = {.op = ">=", .key = &key, .key_count = 1, .limit = 5};
  uint64_t rows = 0;
  check(hs_change(user, &all, "D", NULL, 0, reply, &error));
  check(hs_reply_number(reply, &rows, &error));
  printf(" %d deleted\n", (int)rows);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const char *columns[] = {"user_id", "user_name"};
  hs_client *client = hs_connect(argv[1], &error);
  check(client != NULL ? 0 : -1);
  hs_table *user = hs_table_new(client, "test.user", NULL, columns, 2, 0, &error);
  check(user != NULL ? 0 : -1);
  hs_reply *reply = hs_reply_new();
  add_users(user, reply);
  print_some(user);
  print_pipeline(client, user, reply);
  rename_in_transaction(client, user, reply);
  hs_reply_free(reply);
  hs_table_free(user);
  hs_close(client);
  return 0;
}
