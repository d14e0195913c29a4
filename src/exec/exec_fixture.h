// For tests: requests written in a line, and a client of a database in memory to try them on.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "exec/execute.h"
#include "exec/recording_reply.h"
#include "testing/fake_engine.h"
#include "testing/faulty_engine.h"

namespace hs::exec {

// Builds a Request. Texts must be literals, or live as long; nullptr is NULL.
class Ask {
 public:
  using Texts = std::initializer_list<const char*>;

  static Ask open(uint32_t id, std::string_view table, std::string_view index,
                  std::string_view columns, std::string_view filter_columns = {}) {
    Ask ask(protocol::Verb::kOpen, id);
    ask.request_.database = "test";
    ask.request_.table = table;
    ask.request_.index = index;
    ask.request_.columns = columns;
    ask.request_.filter_columns = filter_columns;
    return ask;
  }
  static Ask auth(std::string_view type, Value key) {
    Ask ask(protocol::Verb::kAuth, 0);
    ask.request_.auth_type = type;
    ask.request_.auth_key = key;
    return ask;
  }
  static Ask find(uint32_t id, std::string_view op, Texts key, uint32_t limit = 1,
                  uint32_t offset = 0) {
    Ask ask(protocol::Verb::kFind, id);
    ask.request_.op = op == "="    ? KeyOperator::kEqual
                      : op == ">"  ? KeyOperator::kGreater
                      : op == ">=" ? KeyOperator::kGreaterOrEqual
                      : op == "<"  ? KeyOperator::kLess
                                   : KeyOperator::kLessOrEqual;
    ask.key_ = values_of(key);
    ask.request_.key_count = static_cast<uint32_t>(key.size());
    ask.request_.limit = limit;
    ask.request_.offset = offset;
    return ask;
  }
  static Ask insert(uint32_t id, Texts row) {
    Ask ask(protocol::Verb::kInsert, id);
    ask.values_ = values_of(row);
    ask.request_.key_count = static_cast<uint32_t>(row.size());
    return ask;
  }

  Ask&& in(uint32_t key_part, Texts values) && {
    in_ = values_of(values);
    request_.in.emplace().key_part = key_part;
    return std::move(*this);
  }
  // A filter of which only this is looked at.
  Ask&& filter(uint32_t column, bool type_ok = true) && {
    filters_.push_back({false, type_ok, FilterOperator::kEqual, column, Value::of("1")});
    return std::move(*this);
  }
  Ask&& skip_unless(uint32_t column, std::string_view op, const char* value) && {
    filters_.push_back({false, true, filter_operator(op), column, value_of(value)});
    return std::move(*this);
  }
  Ask&& stop_unless(uint32_t column, std::string_view op, const char* value) && {
    filters_.push_back({true, true, filter_operator(op), column, value_of(value)});
    return std::move(*this);
  }
  Ask&& update(Texts values) && { return std::move(*this).modify(Modification::kUpdate, values); }
  Ask&& erase() && { return std::move(*this).modify(Modification::kDelete, {}); }
  Ask&& modify(Modification modification, Texts values) && {
    request_.verb = protocol::Verb::kModify;
    request_.modification = modification;
    values_ = values_of(values);
    return std::move(*this);
  }
  Ask&& returning_old() && {
    request_.return_old = true;
    return std::move(*this);
  }
  Ask&& malformed(ErrorCode error, protocol::ErrorStage stage) && {
    request_.error = error;
    request_.error_stage = stage;
    return std::move(*this);
  }

  const protocol::Request& request() const {
    request_.key = key_;
    request_.values = values_;
    request_.filters = filters_;
    if (request_.in) request_.in->values = in_;
    return request_;
  }

 private:
  Ask(protocol::Verb verb, uint32_t id) {
    request_.verb = verb;
    request_.index_id = id;
  }
  static std::vector<Value> values_of(Texts texts) {
    std::vector<Value> values;
    for (const char* text : texts) values.push_back(value_of(text));
    return values;
  }
  static Value value_of(const char* text) { return text ? Value::of(text) : Value::null(); }
  static FilterOperator filter_operator(std::string_view op) {
    return op == "="    ? FilterOperator::kEqual
           : op == "!=" ? FilterOperator::kNotEqual
           : op == ">"  ? FilterOperator::kGreater
           : op == ">=" ? FilterOperator::kGreaterOrEqual
           : op == "<"  ? FilterOperator::kLess
                        : FilterOperator::kLessOrEqual;
  }

  mutable protocol::Request request_;
  std::vector<Value> key_, values_, in_;
  std::vector<protocol::Filter> filters_;
};

// One connection of a write port (unless the test says otherwise) to a database that can fail.
class ExecTest : public ::testing::Test {
 protected:
  ExecTest() {
    fake.create_table(
        "test.user(id int, name text null, age int null, city text default nowhere;"
        " PRIMARY(id); by_age(age); by_city_age(city, age); unique by_name(name))");
    use(engine::Mode::kReadWrite);
  }

  void use(engine::Mode mode) {
    session.reset();
    context.mode = mode;
    session = engine.make_session(mode, "test", {});
  }

  // 1 ada 10 a | 2 bob 20 a | 3 cyd 20 b | 4 dan NULL b | 5 eve 30 c
  void add_people() {
    for (const auto& row :
         std::vector<std::vector<std::optional<std::string>>>{{"1", "ada", "10", "a"},
                                                              {"2", "bob", "20", "a"},
                                                              {"3", "cyd", "20", "b"},
                                                              {"4", "dan", std::nullopt, "b"},
                                                              {"5", "eve", "30", "c"}}) {
      ASSERT_TRUE(fake.add_row("test", "user", row));
    }
  }

  // The reply. As in the server, a kOpen is preceded by a commit.
  std::string run(const Ask& ask) { return run(ask, client); }
  std::string run(const Ask& ask, Client& whose) {
    if (ask.request().verb == protocol::Verb::kOpen) {
      EXPECT_TRUE(session->commit());
    }
    execute(context, ask.request(), whose, *session, scratch, reply);
    return reply.take();
  }

  std::vector<std::string> users() const { return fake.rows("test", "user"); }

  hs::testing::FakeEngine fake;
  hs::testing::FaultyEngine engine{fake};
  std::unique_ptr<engine::Session> session;
  SpecPool pool;
  Client client{pool};
  Scratch scratch;
  Context context;
  RecordingReply reply;
};

using Rows = std::vector<std::string>;

}  // namespace hs::exec
