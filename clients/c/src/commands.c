/* Requests without an index: transactions, GTIDs, hello, describe, logins. */
#include <openssl/evp.h>
#include <string.h>

#include "protocol.h"

static int finish(hs_buf *out, size_t before, hs_error *error) {
  if (!out->failed) return 0;
  out->len = before;
  out->failed = 0;
  return hs_no_memory(error);
}

/* Tokens that are not escaped. */
static int check_token(const char *what, hs_value token, hs_error *error) {
  for (size_t i = 0; i < token.len; i++)
    if ((unsigned char)token.data[i] < 0x10)
      return hs_fail(error, HS_VALUE, "%s has a control character", what);
  return 0;
}

int hs_put_begin(hs_buf *out, const char *isolation, int read_only, hs_error *error) {
  static const char *const levels[] = {"RU", "RC", "RR", "SR"};
  size_t before = out->len, level = 0;
  while (isolation != NULL && level < 4 && strcmp(isolation, levels[level]) != 0) level++;
  if (level == 4) return hs_fail(error, HS_VALUE, "isolation is none of RU, RC, RR, SR");
  hs_buf_text(out, "T\tB");
  if (isolation != NULL) {
    hs_buf_text(out, "\t");
    hs_buf_text(out, isolation);
  }
  hs_buf_text(out, read_only ? "\tRO\n" : "\n");
  return finish(out, before, error);
}

int hs_put_savepoint(hs_buf *out, char what, hs_value name, hs_error *error) {
  size_t before = out->len;
  if (name.len == 0 || name.len > 256)
    return hs_fail(error, HS_VALUE, "the name of a savepoint has 1 to 256 bytes");
  const char line[] = {'T', '\t', what};
  hs_buf_add(out, line, sizeof line);
  hs_buf_value(out, name);
  hs_buf_text(out, "\n");
  return finish(out, before, error);
}

int hs_put_wait_gtid(hs_buf *out, hs_value gtid, int64_t milliseconds, hs_error *error) {
  size_t before = out->len;
  if (milliseconds < 0 || milliseconds > 600000)
    return hs_fail(error, HS_VALUE, "the time to wait is not from 0 to 600 seconds");
  if (check_token("a GTID", gtid, error) != 0) return -1;
  hs_buf_text(out, "G\tW\t");
  hs_buf_add(out, gtid.data, gtid.len);
  hs_buf_text(out, "\t");
  hs_buf_number(out, (uint64_t)milliseconds);
  hs_buf_text(out, "\n");
  return finish(out, before, error);
}

int hs_put_hello(hs_buf *out, int version, hs_value client, hs_error *error) {
  size_t before = out->len;
  if (check_token("the client's name", client, error) != 0) return -1;
  hs_buf_text(out, "H\t");
  hs_buf_number(out, (uint64_t)version);
  if (client.len != 0) hs_buf_text(out, "\t");
  hs_buf_add(out, client.data, client.len);
  hs_buf_text(out, "\n");
  return finish(out, before, error);
}

int hs_put_describe(hs_buf *out, hs_value database, hs_value table, int indexes, hs_error *error) {
  size_t before = out->len;
  if ((database.len == 0 && table.len != 0) || (table.len == 0 && indexes))
    return hs_fail(error, HS_VALUE, "indexes belong to a table, and a table to a database");
  hs_buf_text(out, "D");
  if (database.len != 0) hs_buf_value(out, database);
  if (table.len != 0) hs_buf_value(out, table);
  hs_buf_text(out, indexes ? "\tI\n" : "\n");
  return finish(out, before, error);
}

void hs_put_secret(hs_buf *out, hs_value secret) {
  hs_buf_text(out, "A\t1");
  hs_buf_value(out, secret);
  hs_buf_text(out, "\n");
}

void hs_put_login(hs_buf *out, hs_value user, const char *methods) {
  hs_buf_text(out, "A\t2");
  hs_buf_value(out, user);
  if (methods != NULL) {
    hs_buf_text(out, "\t");
    hs_buf_text(out, methods);
  }
  hs_buf_text(out, "\n");
}

void hs_put_answer(hs_buf *out, const unsigned char *answer, size_t len) {
  static const char digits[] = "0123456789abcdef";
  hs_buf_text(out, "A\t3\t");
  for (size_t i = 0; i < len; i++) {
    const char pair[] = {digits[answer[i] >> 4], digits[answer[i] & 15]};
    hs_buf_add(out, pair, sizeof pair);
  }
  hs_buf_text(out, "\n");
}

void hs_put_password(hs_buf *out, hs_value user, hs_value password) {
  hs_buf_text(out, "A\t4");
  hs_buf_value(out, user);
  hs_buf_value(out, password);
  hs_buf_text(out, "\n");
}

int hs_native_password(hs_value password, const unsigned char *challenge, size_t len,
                       unsigned char out[20]) {
  unsigned char once[20], twice[20], mixed[20];
  const EVP_MD *sha1 = EVP_sha1();
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int good = context != NULL &&
             EVP_Digest(password.data, password.len, once, NULL, sha1, NULL) == 1 &&
             EVP_Digest(once, sizeof once, twice, NULL, sha1, NULL) == 1 &&
             EVP_DigestInit_ex(context, sha1, NULL) == 1 &&
             EVP_DigestUpdate(context, challenge, len) == 1 &&
             EVP_DigestUpdate(context, twice, sizeof twice) == 1 &&
             EVP_DigestFinal_ex(context, mixed, NULL) == 1;
  EVP_MD_CTX_free(context);
  for (size_t i = 0; good && i < sizeof mixed; i++) out[i] = (unsigned char)(once[i] ^ mixed[i]);
  return good ? 0 : -1;
}

static int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 32);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long hs_from_hex(hs_value hex, unsigned char *out, size_t size) {
  if (hex.len % 2 != 0 || hex.len / 2 > size) return -1;
  for (size_t i = 0; i < hex.len; i += 2) {
    int high = nibble(hex.data[i]), low = nibble(hex.data[i + 1]);
    if (high < 0 || low < 0) return -1;
    out[i / 2] = (unsigned char)(high * 16 + low);
  }
  return (long)(hex.len / 2);
}
