// The vectors of clients/vectors: bytes and what they mean.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "internal.h"
}

namespace {

using Json = nlohmann::json;
using Bytes = std::optional<std::string>;

Json cases(const std::string& name) {
  std::ifstream file(std::string(HS_VECTORS "/") + name);
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file)["cases"];
}

// The bytes that a string of a vector stands for: one for each character up to U+00FF.
std::string latin1(const Json& text) {
  const auto utf8 = text.get<std::string>();
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); i++) {
    auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte >= 0x80) byte = static_cast<unsigned char>(byte << 6 | (utf8[++i] & 0x3f));
    out += static_cast<char>(byte);
  }
  return out;
}

Bytes bytes_or_null(const Json& value) { return value.is_null() ? Bytes() : Bytes(latin1(value)); }

Bytes copy(hs_value value) {
  return value.data == nullptr ? Bytes() : Bytes(std::string(value.data, value.len));
}

// Values of a call, with their memory.
struct Values {
  explicit Values(const Json& list) {
    if (list.is_null()) return;
    for (const Json& one : list) texts.push_back(bytes_or_null(one));
    for (const Bytes& text : texts)
      values.push_back(text ? hs_bytes(text->data(), text->size()) : hs_null());
  }
  std::vector<Bytes> texts;
  std::vector<hs_value> values;
};

struct Buffer : hs_buf {
  Buffer() : hs_buf{} {}
  ~Buffer() { hs_buf_free(this); }
  Buffer(const Buffer&) = delete;
  std::string text() const { return data == nullptr ? "" : std::string(data, len); }
};

// What the reader makes of pieces; an empty error: all was well.
struct Outcome {
  std::string error;
  std::size_t rest = 0;
  struct Reply {
    int code;
    std::size_t columns;
    std::vector<Bytes> values;
  };
  std::vector<Reply> replies;
};

Outcome read(const std::vector<std::string>& pieces, std::size_t max_reply = 0) {
  Outcome out;
  hs_reader reader = {};
  hs_error error = {};
  reader.max_reply = max_reply;
  for (const std::string& piece : pieces) {
    EXPECT_EQ(hs_buf_reserve(&reader.bytes, piece.size() + 1), 0);
    std::memcpy(reader.bytes.data + reader.bytes.len, piece.data(), piece.size());
    if (hs_reader_took(&reader, piece.size(), SIZE_MAX, &error) == 0) continue;
    out.error = hs_error_name(error.kind);
    break;
  }
  for (std::size_t i = 0; i < reader.answer_count; i++) {
    const hs_answer& answer = reader.answers[i];
    out.replies.push_back({answer.code, answer.columns, {}});
    for (std::size_t v = 0; v < answer.count; v++)
      out.replies.back().values.push_back(copy(hs_reader_value(&reader, answer.first + v)));
  }
  out.rest = reader.bytes.len - reader.line;
  hs_reader_free(&reader);
  return out;
}

// The bytes whole, in two pieces cut at each place, and one by one.
std::vector<std::vector<std::string>> cuts(const std::string& whole) {
  std::vector<std::vector<std::string>> all = {{whole}};
  for (std::size_t i = 1; i < whole.size() && whole.size() < 5000; i++)
    all.push_back({whole.substr(0, i), whole.substr(i)});
  all.emplace_back();
  for (char byte : whole) all.back().emplace_back(1, byte);
  return all;
}

void compare(const Json& wanted, const Outcome::Reply& got, const std::string& name) {
  if (wanted.contains("class")) {
    hs_error error = {};
    ASSERT_EQ(got.values.size(), 1u) << name;
    const std::string text = got.values[0].value_or("");
    hs_server_error(&error, got.code, hs_bytes(text.data(), text.size()));
    EXPECT_EQ(error.code, wanted["code"].get<int>()) << name;
    EXPECT_EQ(std::string(error.text), latin1(wanted["text"])) << name;
    EXPECT_EQ(hs_error_name(error.kind), wanted["class"].get<std::string>()) << name;
    EXPECT_EQ(error.number, wanted.value("number", 0)) << name;
    EXPECT_EQ(hs_error_hint(&error), wanted.value("hint", "")) << name;
    return;
  }
  EXPECT_EQ(got.code, 0) << name;
  EXPECT_EQ(got.columns, wanted["columns"].get<std::size_t>()) << name;
  EXPECT_EQ(got.values, Values(wanted["values"]).texts) << name;
}

TEST(Vectors, ValuesHaveTheirTokens) {
  for (const Json& one : cases("values.json")) {
    Buffer buffer;
    const Bytes value = bytes_or_null(one["value"]);
    hs_buf_value(&buffer, value ? hs_bytes(value->data(), value->size()) : hs_null());
    EXPECT_EQ(buffer.text(), "\t" + latin1(one["token"])) << one["name"];
    Json tokens = one.value("also", Json::array());
    tokens.push_back(one["token"]);
    for (const Json& token : tokens) {
      const Outcome got = read({"0\t1\t" + latin1(token) + "\n"});
      ASSERT_EQ(got.replies.size(), 1u) << one["name"] << got.error;
      EXPECT_EQ(got.replies[0].values, std::vector<Bytes>{value}) << one["name"];
    }
  }
}

TEST(Vectors, WhatIsNoValueIsRefused) {
  for (const Json& one : cases("bad_values.json"))
    EXPECT_EQ(read({"0\t1\t" + latin1(one["token"]) + "\n"}).error, "ProtocolError") << one["name"];
}

TEST(Vectors, RepliesAreReadInAnyPieces) {
  for (const char* file : {"replies.json", "errors.json"})
    for (const Json& one : cases(file))
      for (const auto& pieces : cuts(latin1(one["bytes"]))) {
        const Outcome got = read(pieces);
        ASSERT_EQ(got.replies.size(), 1u) << one["name"] << got.error;
        compare(one, got.replies[0], one["name"]);
      }
}

TEST(Vectors, StreamsAreReadInAnyPieces) {
  for (const Json& one : cases("streams.json"))
    for (const auto& pieces : cuts(latin1(one["bytes"]))) {
      const Outcome got = read(pieces);
      ASSERT_EQ(got.replies.size(), one["replies"].size()) << one["name"] << got.error;
      EXPECT_EQ(got.rest, one["rest"].get<std::size_t>()) << one["name"];
      for (std::size_t i = 0; i < got.replies.size(); i++)
        compare(one["replies"][i], got.replies[i], one["name"]);
    }
}

TEST(Vectors, WhatIsNoReplyIsRefused) {
  for (const Json& one : cases("bad_replies.json"))
    for (const auto& pieces : cuts(latin1(one["bytes"])))
      EXPECT_EQ(read(pieces).error, "ProtocolError") << one["name"];
}

TEST(Vectors, RepliesHaveTheirBound) {
  for (const Json& one : cases("long_replies.json"))
    for (const auto& pieces : cuts(latin1(one["bytes"])))
      EXPECT_EQ(read(pieces, one["max_reply"]).error,
                one["error"].get<bool>() ? "ProtocolError" : "")
          << one["name"];
}

// A call of requests.json, and what its arguments are.
class Call {
 public:
  explicit Call(const Json& call) : call_(call), name_(call[0].get<std::string>()) {}

  // Whether it can be said at all: some mistakes have no place in this interface.
  bool exists() const {
    for (const Json& filter : at(7).is_array() && is_find() ? at(7) : Json::array())
      if ((filter[0] != "F" && filter[0] != "W") || filter[2].get<int>() < 0) return false;
    return !is_find() || at(6).is_null() || at(6)["part"].get<int>() >= 0;
  }
  int put(hs_buf* out, hs_error* error) const {
    if (is_find() || name_ == "insert" || name_ == "open") {
      if (name_ == "open") hs_buf_text(out, "P\t");
      if (hs_put_id(out, at(1).get<std::int64_t>(), error) != 0) return -1;
      return name_ == "open" ? open(out, error) : is_find() ? find(out, error) : insert(out, error);
    }
    return command(out, error);
  }

 private:
  const Json& at(std::size_t place) const {
    static const Json null;
    return place < call_.size() ? call_[place] : null;
  }
  bool is_find() const { return name_ == "find" || name_ == "count" || name_ == "change"; }
  std::string text(std::size_t place) const { return at(place).is_null() ? "" : latin1(at(place)); }

  int open(hs_buf* out, hs_error* error) const {
    const std::string database = text(2), table = text(3), index = text(4);
    const Values columns(at(5)), filters(at(6));
    const hs_open open = {hs_bytes(database.data(), database.size()),
                          hs_bytes(table.data(), table.size()),
                          hs_bytes(index.data(), index.size()),
                          columns.values.data(),
                          filters.values.data(),
                          columns.values.size(),
                          filters.values.size()};
    return hs_put_open(out, &open, error);
  }
  int find(hs_buf* out, hs_error* error) const {
    const std::string op = text(2), verb = name_ == "count" ? "C" : text(8);
    const Values key(at(3)), in(at(6).is_null() ? Json() : at(6)["values"]);
    const Values values(at(9));
    std::vector<hs_filter> filters;
    std::vector<std::size_t> places;
    std::vector<std::string> texts, ops;
    const Json list = at(7).is_null() ? Json::array() : at(7);
    for (const Json& filter : list) {
      ops.push_back(latin1(filter[1]));
      texts.push_back(filter[3].is_null() ? "" : latin1(filter[3]));
    }
    for (std::size_t i = 0; i < list.size(); i++) {
      places.push_back(list[i][2]);
      const hs_value value =
          list[i][3].is_null() ? hs_null() : hs_bytes(texts[i].data(), texts[i].size());
      filters.push_back({"", ops[i].c_str(), value, list[i][0] == "W"});
    }
    if (name_ == "change" && verb.empty()) return hs_fail(error, HS_VALUE, "%s", "hs_change's own");
    hs_find_line line = {};
    line.op = op.c_str();
    line.verb = verb.c_str();
    line.key = key.values.data();
    line.key_count = key.values.size();
    line.limit = at(4).is_null() ? 1 : at(4).get<std::int64_t>();
    line.offset = at(5).is_null() ? 0 : at(5).get<std::int64_t>();
    line.in_part = at(6).is_null() ? -1 : at(6)["part"].get<std::int64_t>();
    line.in_all = !at(6).is_null() && at(6)["all"].get<bool>();
    line.in = in.values.data();
    line.in_count = in.values.size();
    line.filters = filters.data();
    line.filter_places = places.data();
    line.filter_count = filters.size();
    line.values = values.values.data();
    line.value_count = values.values.size();
    return hs_put_find(out, &line, error);
  }
  int insert(hs_buf* out, hs_error* error) const {
    static const hs_value none = {};
    const std::string verb = text(2);
    const Values values(at(3)), update(at(4));
    const hs_insert_line line = {verb.c_str(), values.values.data(),
                                 at(4).is_null()         ? nullptr
                                 : update.values.empty() ? &none
                                                         : update.values.data(),
                                 values.values.size(), update.values.size()};
    return hs_put_insert(out, &line, error);
  }
  int command(hs_buf* out, hs_error* error) const {
    const std::string first = text(1).empty() ? "" : text(1);
    const hs_value one = hs_bytes(first.data(), first.size());
    if (name_ == "begin")
      return hs_put_begin(out, at(1).is_null() ? nullptr : first.c_str(),
                          !at(2).is_null() && at(2).get<bool>(), error);
    if (name_ == "savepoint") return hs_put_savepoint(out, 'S', one, error);
    if (name_ == "rollback_to") return hs_put_savepoint(out, 'U', one, error);
    if (name_ == "wait_gtid") return hs_put_wait_gtid(out, one, at(2), error);
    return other(out, one, error);
  }
  int other(hs_buf* out, hs_value one, hs_error* error) const {
    const std::string second = at(2).is_string() ? text(2) : "";
    const hs_value two = hs_bytes(second.data(), second.size());
    unsigned char raw[64];
    if (name_ == "describe")
      return hs_put_describe(out, one, two, !at(3).is_null() && at(3).get<bool>(), error);
    if (name_ == "commit") hs_buf_text(out, "T\tC\n");
    if (name_ == "rollback") hs_buf_text(out, "T\tR\n");
    if (name_ == "last_gtid") hs_buf_text(out, "G\tL\n");
    if (name_ == "secret") hs_put_secret(out, one);
    if (name_ == "password") hs_put_password(out, one, two);
    if (name_ == "answer")
      hs_put_answer(out, raw, static_cast<std::size_t>(hs_from_hex(one, raw, sizeof raw)));
    if (name_ == "login")
      hs_put_login(out, one, at(2).is_null() ? nullptr : "mysql_native_password,unix_socket");
    return 0;
  }

  const Json& call_;
  std::string name_;
};

// A hello's version is a number, which text() is not for.
int put(const Json& call, hs_buf* out, hs_error* error) {
  if (call[0] != "hello") return Call(call).put(out, error);
  const std::string client = latin1(call[2]);
  return hs_put_hello(out, call[1], hs_bytes(client.data(), client.size()), error);
}

TEST(Vectors, RequestsAreTheirBytes) {
  for (const Json& one : cases("requests.json")) {
    Buffer buffer;
    hs_error error = {};
    EXPECT_EQ(put(one["call"], &buffer, &error), 0) << one["name"] << error.text;
    EXPECT_EQ(buffer.text(), latin1(one["bytes"])) << one["name"];
  }
}

TEST(Vectors, WhatCannotBeSentIsRefused) {
  std::size_t refused = 0;
  for (const Json& one : cases("bad_requests.json")) {
    Buffer buffer;
    hs_error error = {};
    if (!Call(one["call"]).exists()) continue;
    refused++;
    EXPECT_EQ(put(one["call"], &buffer, &error), -1) << one["name"];
    EXPECT_EQ(error.kind, HS_VALUE) << one["name"];
  }
  EXPECT_GE(refused, 60u);
}

TEST(Vectors, ReadsWaitForTheHighestGtids) {
  for (const Json& one : cases("gtids.json")) {
    hs_client client = {};
    pthread_mutex_init(&client.mutex, nullptr);
    for (const std::string told : one["told"]) hs_add_gtid(&client, hs_text(told.c_str()));
    std::set<std::string> known;
    for (std::size_t i = 0; i < client.gtid_count; i++) known.insert(client.gtids[i].text);
    EXPECT_EQ(known, one["known"].get<std::set<std::string>>()) << one["name"];
    pthread_mutex_destroy(&client.mutex);
  }
}

TEST(Vectors, NativePasswordsAnswerChallenges) {
  for (const Json& one : cases("logins.json")) {
    unsigned char password[256], challenge[256], answer[20];
    const std::string hex = one["password"], asked = one["challenge"];
    const long size = hs_from_hex(hs_text(hex.c_str()), password, sizeof password);
    const long len = hs_from_hex(hs_text(asked.c_str()), challenge, sizeof challenge);
    Buffer buffer;
    ASSERT_TRUE(size >= 0 && len >= 0) << one["name"];
    const int bad = size == 0
                        ? 0
                        : hs_native_password(hs_bytes(password, static_cast<std::size_t>(size)),
                                             challenge, static_cast<std::size_t>(len), answer);
    ASSERT_EQ(bad, 0) << one["name"];
    hs_put_answer(&buffer, answer, size != 0 ? sizeof answer : 0);
    EXPECT_EQ(buffer.text(), "A\t3\t" + one["response"].get<std::string>() + "\n") << one["name"];
  }
}

TEST(Vectors, TypesHaveTheirKinds) {
  const std::vector<std::string> names = {"text", "integer",  "float", "decimal",
                                          "date", "datetime", "time",  "bytes"};
  for (const Json& one : cases("types.json"))
    EXPECT_EQ(names[hs_kind_of(one["type"].get<std::string>().c_str())],
              one["kind"].get<std::string>())
        << one["name"];
}

std::string text_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string list;
  for (const Json& one : value) list += (list.empty() ? "" : ",") + one.get<std::string>();
  return list;
}

TEST(Vectors, UrlsHaveTheirOptions) {
  ASSERT_EQ(setenv("HS_OPTION_FILE", "/dev/null", 1), 0);
  ASSERT_EQ(unsetenv("HS_PASSWORD") | unsetenv("HS_SECRET") | unsetenv("HS_URL"), 0);
  hs_options defaults = {};
  ASSERT_EQ(hs_options_read(&defaults, nullptr, nullptr), 0);
  for (const Json& one : cases("urls.json")) {
    hs_error error = {};
    const auto url = one["url"].get<std::string>();
    hs_options options = {};
    int bad = hs_options_read(&options, url.c_str(), &error);
    if (bad == 0 && !options.tls) {  // the files of TLS are none here
      hs_client* client = hs_connect(url.c_str(), &error);
      bad = client == nullptr ? -1 : 0;
      hs_close(client);
    }
    EXPECT_EQ(bad != 0, one.contains("error")) << url;
    if (bad != 0) {
      EXPECT_EQ(error.kind, HS_CONFIGURATION) << url;
      hs_options_free(&options);
      continue;
    }
    for (int i = 0; i < OPT_COUNT; i++) {
      const char* wanted = defaults.text[i];
      const std::string name = hs_option_name(i);
      const std::string given = one["options"].contains(name) ? text_of(one["options"][name]) : "";
      if (one["options"].contains(name)) wanted = given.c_str();
      EXPECT_STREQ(options.text[i], wanted) << url << " " << name;
    }
    hs_options_free(&options);
  }
  hs_options_free(&defaults);
}

}  // namespace
