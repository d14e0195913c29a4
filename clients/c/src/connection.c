/* One connection: its open indexes, and a batch that is carried out on it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

enum { KEPT = 1 << 16 }; /* bytes of memory that a connection keeps for what it sends */

void hs_conn_close(hs_conn *conn) {
  if (conn == NULL) return;
  SSL_free(conn->ssl);
  if (conn->fd >= 0) (void)close(conn->fd);
  hs_buf_free(&conn->out);
  free(conn);
}

static hs_slot *find_slot(hs_conn *conn, const hs_spec *spec) {
  if (conn->recent < conn->slot_count && conn->slots[conn->recent].spec == spec)
    return &conn->slots[conn->recent];
  for (size_t i = 0; i < conn->slot_count; i++) {
    if (conn->slots[i].spec != spec) continue;
    conn->recent = i;
    return &conn->slots[i];
  }
  return NULL;
}

static void add_open(hs_conn *conn, const hs_slot *slot, const hs_spec *spec) {
  hs_buf_text(&conn->out, "P\t");
  hs_buf_number(&conn->out, slot->id);
  hs_buf_text(&conn->out, spec->open);
}

typedef struct run {
  hs_conn *conn;
  const hs_batch *batch;
  hs_reply *reply;
  double deadline;
  hs_error *error;
  size_t from, wanted; /* the first request that is not sent; answers at the end of this piece */
  int opened;
  int astray; /* a reply was one to something else */
} run;

static int was_refused(const run *run, const hs_slot *slot) {
  const hs_reader *r = &run->reply->reader;
  return slot->pending != 0 && slot->pending <= r->answer_count &&
         r->answers[slot->pending - 1].code != 0;
}

/* A request whose P was refused has the P's error; such an index is not open. */
static void settle(run *run, size_t to) {
  hs_conn *conn = run->conn;
  const hs_reader *r = &run->reply->reader;
  for (size_t i = run->from; i < to; i++) {
    const hs_slot *slot = find_slot(conn, run->batch->items[i].spec);
    if (slot != NULL && was_refused(run, slot)) run->reply->results[i].answer = slot->pending - 1;
  }
  for (size_t i = conn->slot_count; i-- > 0;) {
    hs_slot *slot = &conn->slots[i];
    int failed = was_refused(run, slot);
    run->astray |= slot->pending != 0 && !failed && slot->pending <= r->answer_count &&
                   r->answers[slot->pending - 1].count != 0;
    slot->pending = 0;
    if (failed) *slot = conn->slots[--conn->slot_count];
  }
}

/* Sends what is in out, and reads all its answers. */
static int flush(run *run, size_t to) {
  hs_conn *conn = run->conn;
  hs_reader *r = &run->reply->reader;
  int bad = 0;
  if (conn->out.failed) return hs_no_memory(run->error);
  if (run->wanted > r->answer_count) {
    conn->sent = 0;
    bad = hs_exchange(conn, r, run->wanted, run->deadline, run->error);
    conn->out.len = 0;
    if (conn->out.cap > KEPT) hs_buf_free(&conn->out);
  }
  if (run->opened) settle(run, to);
  run->from = to;
  run->opened = 0;
  return bad || run->astray ? -1 : 0;
}

/* Takes the place of the slot that was used longest ago. When its P is refused the old index is
   still open under its id, so nothing may be sent behind it before that is known. */
static int replace(run *run, size_t item, hs_slot **out) {
  const hs_spec *spec = run->batch->items[item].spec;
  hs_slot *oldest = run->conn->slots;
  if (flush(run, item) != 0) return -1;
  *out = NULL;
  if (run->conn->slot_count < HS_OPEN_INDEXES) return 0;
  for (size_t i = 1; i < run->conn->slot_count; i++)
    if (run->conn->slots[i].used < oldest->used) oldest = &run->conn->slots[i];
  add_open(run->conn, oldest, spec);
  run->wanted++;
  if (flush(run, item) != 0) return -1;
  if (run->reply->reader.answers[run->wanted - 1].code != 0) {
    run->reply->results[item].answer = run->wanted - 1;
    run->from = item + 1;
    return 1;
  }
  run->astray |= run->reply->reader.answers[run->wanted - 1].count != 0;
  oldest->spec = spec;
  *out = oldest;
  return 0;
}

/* Puts the id of the request's index into out. 1: the request has its answer already. */
static int prepare(run *run, size_t item) {
  hs_conn *conn = run->conn;
  const hs_spec *spec = run->batch->items[item].spec;
  hs_slot *slot = find_slot(conn, spec);
  if (slot == NULL && conn->slot_count == HS_OPEN_INDEXES) {
    int done = replace(run, item, &slot);
    if (done != 0) return done;
  }
  if (slot == NULL) {
    slot = &conn->slots[conn->slot_count++];
    *slot = (hs_slot){spec, conn->next_id++, 0, ++run->wanted};
    add_open(conn, slot, spec);
    run->opened = 1;
  }
  slot->used = ++conn->clock;
  hs_buf_number(&conn->out, slot->id);
  return 0;
}

/* The most values that any answer has; 0: any number. */
static size_t most_values(const hs_batch *batch) {
  uint64_t most = 1; /* of an error, or of the GTID */
  for (size_t i = 0; i < batch->count; i++) {
    const hs_expect *expect = &batch->items[i].expect;
    if (expect->kind == HS_EXPECT_ANY || expect->most >= SIZE_MAX) return 0;
    if (expect->most > most) most = expect->most;
  }
  return most;
}

static int begin(run *run) {
  hs_reply *reply = run->reply;
  size_t count = run->batch->count;
  hs_reader_clear(&reply->reader);
  reply->reader.max_values = most_values(run->batch);
  reply->count = reply->selected = 0;
  run->conn->out.len = run->conn->sent = 0;
  if (count <= reply->result_cap) return 0;
  hs_result *results = realloc(reply->results, count * sizeof *results);
  if (results == NULL) return hs_no_memory(run->error);
  reply->results = results;
  reply->result_cap = count;
  return 0;
}

static int send_all(run *run, int ask_gtid) {
  hs_conn *conn = run->conn;
  for (size_t i = 0; i < run->batch->count; i++) {
    const hs_item *item = &run->batch->items[i];
    unsigned missing = conn->knows ? item->needs & ~conn->has : 0;
    run->reply->results[i] =
        (hs_result){SIZE_MAX, item->spec, missing, item->raw, item->verb, item->expect};
    if (missing != 0) continue;
    int done = item->spec != NULL ? prepare(run, i) : 0;
    if (done < 0) return -1;
    if (done > 0) continue;
    hs_buf_add(&conn->out, run->batch->bytes.data + item->at, item->len);
    run->reply->results[i].answer = run->wanted++;
  }
  if (ask_gtid && (conn->has & HS_HAS_GTID)) {
    hs_buf_text(&conn->out, "G\tL\n");
    run->wanted++;
  }
  return flush(run, run->batch->count);
}

/* How many of the first requests have an answer. */
static size_t answered(const run *run) {
  size_t i = 0;
  while (i < run->from && i < run->batch->count &&
         (run->reply->results[i].missing != 0 ||
          run->reply->results[i].answer < run->reply->reader.answer_count))
    i++;
  return i;
}

int hs_conn_run(hs_conn *conn, hs_client *client, const hs_batch *batch, hs_reply *reply,
                double deadline, int ask_gtid, hs_error *error) {
  run run = {conn, batch, reply, deadline, error, 0, 0, 0, 0};
  hs_reader *r = &reply->reader;
  if (begin(&run) != 0) return -1;
  int bad = send_all(&run, ask_gtid);
  size_t right = 0, count = answered(&run);
  while (right < count && hs_reply_is_expected(reply, right)) right++;
  reply->count = run.astray ? 0 : right;
  conn->changed |= batch->write;
  if (run.astray || right < count) {
    (void)hs_fail(error, HS_PROTOCOL, "the answer is one to something else");
    if (error != NULL) error->sent = 1;
    return -1;
  }
  /* Why the server has ended it is the answer to a request; those behind that have none. */
  if (bad && count != 0 && error != NULL && error->kind >= HS_SERVER)
    (void)hs_fail(error, HS_CONNECTION, "the server has ended the connection");
  /* A piece before the one that failed was carried out. */
  if (bad && r->answer_count != 0 && error != NULL) error->sent = 1;
  if (bad && !(ask_gtid && reply->count == batch->count)) return bad;
  /* The answers are there, whatever became of the question behind them. */
  const hs_answer *last = r->answer_count != 0 ? &r->answers[r->answer_count - 1] : NULL;
  if (!bad && ask_gtid && last != NULL && last->code == 0 && last->count == 1) {
    hs_add_gtid(client, hs_reader_value(r, last->first));
    conn->changed = 0;
  }
  if (bad) r->line = SIZE_MAX; /* the connection is not used again */
  return 0;
}
