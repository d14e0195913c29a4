/* A row by its key: get URL DATABASE.TABLE COLUMNS KEY */
#include <handlersocket2.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  hs_error error = {0};
  hs_client *client = hs_connect(argv[1], &error);
  const char *columns[] = {argv[3]};
  hs_table *table = client ? hs_table_new(client, argv[2], NULL, columns, 1, 0, &error) : NULL;
  hs_reply *reply = hs_reply_new();
  hs_value key = hs_text(argv[4]);
  int bad = table == NULL || reply == NULL || hs_get(table, &key, 1, reply, &error);
  for (size_t i = 0; !bad && hs_reply_rows(reply) != 0 && i < hs_reply_columns(reply); i++) {
    hs_value value = hs_reply_value(reply, 0, i);
    printf("%.*s\n", value.data ? (int)value.len : 4, value.data ? value.data : "NULL");
  }
  if (bad) fprintf(stderr, "%s: %s\n", hs_error_name(error.kind), error.text);
  hs_reply_free(reply);
  hs_table_free(table);
  hs_close(client);
  return bad ? 1 : 0;
}
