/* Replies: the answers of a batch, and what is read from one. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

hs_reply *hs_reply_new(void) { return calloc(1, sizeof(hs_reply)); }

void hs_reply_free(hs_reply *reply) {
  if (reply == NULL) return;
  hs_reader_free(&reply->reader);
  hs_batch_wipe(&reply->scratch);
  free(reply->results);
  free(reply);
}

void hs_reply_trim(hs_reply *reply, size_t most) {
  const hs_reader *r = &reply->reader;
  if (r->bytes.cap + reply->scratch.bytes.cap + r->span_cap * sizeof *r->spans +
          r->answer_cap * sizeof *r->answers + reply->result_cap * sizeof *reply->results <=
      most)
    return;
  hs_reader_free(&reply->reader);
  hs_batch_wipe(&reply->scratch);
  free(reply->results);
  reply->results = NULL;
  reply->result_cap = reply->count = reply->selected = 0;
}

static const hs_answer *answer_of(const hs_reply *reply, size_t number) {
  if (number >= reply->count || reply->results[number].answer == SIZE_MAX) return NULL;
  return &reply->reader.answers[reply->results[number].answer];
}

size_t hs_reply_count(const hs_reply *reply) { return reply->count; }

size_t hs_reply_columns(const hs_reply *reply) {
  const hs_answer *a = answer_of(reply, reply->selected);
  return a != NULL ? a->columns : 0;
}

size_t hs_reply_rows(const hs_reply *reply) {
  const hs_answer *a = answer_of(reply, reply->selected);
  if (a == NULL || a->columns == 0) return 0;
  return a->code == 0 || reply->results[reply->selected].raw ? a->count / a->columns : 0;
}

hs_value hs_reply_value(const hs_reply *reply, size_t row, size_t column) {
  if (row >= hs_reply_rows(reply) || column >= hs_reply_columns(reply)) return hs_null();
  const hs_answer *a = answer_of(reply, reply->selected);
  return hs_reader_value(&reply->reader, a->first + row * a->columns + column);
}

int hs_reply_column(const hs_reply *reply, size_t column, hs_column *out) {
  const hs_spec *spec =
      reply->selected < reply->count ? reply->results[reply->selected].spec : NULL;
  if (spec == NULL || column >= spec->count) return -1;
  const hs_typed *typed = __atomic_load_n(&spec->typed, __ATOMIC_ACQUIRE);
  if (typed != NULL)
    *out = typed->columns[column];
  else
    *out = (hs_column){spec->names[column].data, HS_KIND_TEXT, 0, 1};
  return 0;
}

/* One row of numbers alone. */
static int has_numbers(const hs_reply *reply, const hs_answer *a, size_t least, size_t most) {
  if (a->count < least || a->count > most || a->columns != (a->count != 0 ? a->count : 1)) return 0;
  for (size_t i = 0; i < a->count; i++) {
    uint64_t number;
    if (hs_value_uint64(hs_reader_value(&reply->reader, a->first + i), &number) != 0) return 0;
  }
  return 1;
}

/* What a verb that may find a row has to tell first: +I 0 or 1, +U 0 to 2, +R 1 or more. */
static int is_of_verb(const hs_reply *reply, const hs_answer *a, char verb) {
  uint64_t number = 0;
  if (hs_value_uint64(hs_reader_value(&reply->reader, a->first), &number) != 0) return 0;
  return verb == 'R' ? number >= 1 : number <= (verb == 'U' ? 2 : 1);
}

int hs_reply_is_expected(const hs_reply *reply, size_t number) {
  const hs_result *result = &reply->results[number];
  if (result->missing != 0 || result->answer == SIZE_MAX) return 1;
  const hs_answer *a = &reply->reader.answers[result->answer];
  if (a->code != 0) return 1;
  switch (result->expect.kind) {
    case HS_EXPECT_NOTHING:
      return a->count == 0;
    case HS_EXPECT_ROWS:
      return a->columns == result->expect.columns && a->count <= result->expect.most;
    case HS_EXPECT_NUMBER:
      return has_numbers(reply, a, 1, 1);
    case HS_EXPECT_ADDED:
      return has_numbers(reply, a, 1, 2) && is_of_verb(reply, a, result->verb);
    case HS_EXPECT_ID:
      return has_numbers(reply, a, 0, 1);
    default:
      return 1;
  }
}

int hs_reply_error(const hs_reply *reply, size_t number, hs_error *error) {
  const hs_result *result = &reply->results[number];
  if (result->missing != 0)
    return hs_fail(error, HS_UNSUPPORTED, "the server has not the feature %s",
                   hs_feature_name(result->missing));
  const hs_answer *a = &reply->reader.answers[result->answer];
  if (a->code == 0 || result->raw) return 0;
  hs_server_error(error, a->code, hs_reader_value(&reply->reader, a->first));
  return -1;
}

int hs_reply_select(hs_reply *reply, size_t number, hs_error *error) {
  if (number >= reply->count) return hs_fail(error, HS_VALUE, "there is no such answer");
  reply->selected = number;
  return hs_reply_error(reply, number, error);
}

int hs_reply_number(const hs_reply *reply, uint64_t *rows, hs_error *error) {
  if (hs_value_uint64(hs_reply_value(reply, 0, 0), rows) == 0) return 0;
  return hs_fail(error, HS_PROTOCOL, "the answer is no number");
}

/* "+" is answered with an id alone, or with nothing. The others begin with a number. */
int hs_reply_added(const hs_reply *reply, hs_added *added, hs_error *error) {
  const hs_answer *a = answer_of(reply, reply->selected);
  const hs_result *result = &reply->results[reply->selected];
  *added = (hs_added){HS_INSERTED, 0, 0};
  if (a == NULL || a->code != 0) return hs_fail(error, HS_VALUE, "there is no answer");
  if (result->verb == '+') return a->count == 0 ? 0 : hs_reply_number(reply, &added->id, error);
  uint64_t number = 0;
  if (hs_reply_number(reply, &number, error) != 0) return -1;
  if (a->columns > 1 && hs_value_uint64(hs_reply_value(reply, 0, 1), &added->id) != 0)
    return hs_fail(error, HS_PROTOCOL, "the id is no number");
  if (result->verb == 'R')
    added->replaced = number - 1;
  else
    added->did = number == 0 ? HS_UNCHANGED : number == 1 ? HS_INSERTED : HS_UPDATED;
  return 0;
}
