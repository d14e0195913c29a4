// What tools ask of a server.
#include <algorithm>
#include <limits>

#include "protocol/resp/bounds.h"
#include "protocol/resp/command_table.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/scan_places.h"

namespace hs::protocol::resp {
namespace {

// The version of Redis whose commands, answers and errors these are.
constexpr std::string_view kRedisVersion = "7.0.15";

template <class Visit>
size_t each_word(std::string_view text, Visit visit) {
  size_t words = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    visit(word);
    ++words;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

class CommandCommand final : public RespCommand {
  void take() override {
    if (count_of_arguments() == 1 || is_word(1, "DOCS") || is_word(1, "INFO") ||
        is_word(1, "LIST") || is_word(1, "COUNT")) {
      return;
    }
    if (is_word(1, "GETKEYS")) {
      if (count_of_arguments() >= 4) return;
      return refuse("ERR wrong number of arguments for 'command|getkeys' command");
    }
    refuse("ERR unknown subcommand '" + std::string(argument(1).substr(0, 128)) +
           "'. Try COMMAND HELP.");
  }
  void reply() override {
    if (count_of_arguments() == 1) return write_all();
    if (is_word(1, "COUNT")) return out_->integer(uint64_t{all_commands().size()});
    if (is_word(1, "LIST")) {
      out_->array(all_commands().size());
      for (const CommandInfo& one : all_commands()) out_->bulk(one.name);
      return;
    }
    if (is_word(1, "GETKEYS")) return write_keys();
    is_word(1, "DOCS") ? write_docs() : write_info();
  }
  void write_all() {
    out_->array(all_commands().size());
    for (const CommandInfo& one : all_commands()) write(one);
  }
  void write_info() {
    if (count_of_arguments() == 2) return write_all();
    out_->array(count_of_arguments() - 2);
    for (size_t i = 2; i < count_of_arguments(); ++i) {
      const CommandInfo* const found = find_command(argument(i));
      found != nullptr ? write(*found) : out_->null_array();
    }
  }
  void write(const CommandInfo& one) {
    out_->array(10);
    out_->bulk(one.name);
    out_->integer(int64_t{one.arity});
    out_->set(each_word(one.flags, [](std::string_view) {}));
    (void)each_word(one.flags, [this](std::string_view flag) { out_->simple(flag); });
    out_->integer(int64_t{one.first_key});
    out_->integer(int64_t{one.last_key});
    out_->integer(int64_t{one.step});
    out_->set(0);    // categories of access
    out_->array(0);  // tips
    out_->array(0);  // where keys are, in the newer form
    out_->array(0);  // subcommands
  }
  void write_docs() {
    std::vector<const CommandInfo*> wanted;
    if (count_of_arguments() == 2) {
      for (const CommandInfo& one : all_commands()) wanted.push_back(&one);
    }
    for (size_t i = 2; i < count_of_arguments(); ++i) {
      if (const CommandInfo* const found = find_command(argument(i))) wanted.push_back(found);
    }
    out_->map(wanted.size());
    for (const CommandInfo* one : wanted) {
      out_->bulk(one->name);
      out_->map(2);
      out_->bulk("summary");
      out_->bulk(one->summary);
      out_->bulk("group");
      out_->bulk(one->group);
    }
  }
  void write_keys() {
    const CommandInfo* const found = find_command(argument(2));
    const size_t given = count_of_arguments() - 2;
    if (found == nullptr) return refuse("ERR Invalid command specified");
    if (!found->takes(given)) {
      return refuse("ERR Invalid number of arguments specified for command");
    }
    if (found->first_key == 0) return refuse("ERR The command has no key arguments");
    const auto last = static_cast<size_t>(
        found->last_key < 0 ? static_cast<int>(given) + found->last_key : found->last_key);
    std::vector<std::string_view> keys;
    for (auto at = static_cast<size_t>(found->first_key); at <= last && at < given;
         at += static_cast<size_t>(found->step)) {
      keys.push_back(argument(2 + at));
    }
    out_->array(keys.size());
    for (const std::string_view key : keys) out_->bulk(key);
  }
};

// What tools look at. Changes are durable when they are answered.
class Config final : public RespCommand {
  void take() override {
    if (is_word(1, "GET")) {
      if (count_of_arguments() < 3) {
        refuse("ERR wrong number of arguments for 'config|get' command");
      }
      return;
    }
    if (is_word(1, "SET") || is_word(1, "REWRITE") || is_word(1, "RESETSTAT")) {
      return refuse("ERR CONFIG " + std::string(argument(1)) +
                    " is not served: set the variables handlersocket_... by SQL");
    }
    refuse("ERR unknown subcommand '" + std::string(argument(1).substr(0, 128)) +
           "'. Try CONFIG HELP.");
  }
  void reply() override {
    constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
        {"appendonly", "yes"}, {"appendfsync", "always"}, {"databases", "1"}, {"maxmemory", "0"},
        {"save", ""},          {"timeout", "0"},
    };
    std::vector<std::pair<std::string_view, std::string_view>> found;
    for (const auto& setting : kSettings) {
      const bool is_wanted = std::any_of(
          arguments_.begin() + 2, arguments_.end(),
          [&](std::string_view pattern) { return is_like(setting.first, lower(pattern)); });
      if (is_wanted) found.push_back(setting);
    }
    out_->map(found.size());
    for (const auto& [name, value] : found) {
      out_->bulk(name);
      out_->bulk(value);
    }
  }
};

class Info final : public RespCommand {
  void take() override {}
  bool wants(std::string_view section) const {
    if (count_of_arguments() == 1) return true;
    for (size_t i = 1; i < count_of_arguments(); ++i) {
      if (is_word(i, section) || is_word(i, "all") || is_word(i, "default") ||
          is_word(i, "everything")) {
        return true;
      }
    }
    return false;
  }
  void reply() override {
    std::string text;
    const auto add = [&](std::string_view section, const std::string& lines) {
      if (!wants(section)) return;
      if (!text.empty()) text += "\r\n";
      text += "# " + std::string(section) + "\r\n" + lines;
    };
    add("Server",
        "redis_version:" + std::string(kRedisVersion) +
            "\r\nredis_mode:standalone\r\nhandlersocket_version:" + std::string(facts_.version) +
            "\r\nmariadb_version:" + std::string(facts_.server_version) + "\r\n");
    add("Persistence", "loading:0\r\naof_enabled:1\r\n");
    add("Replication", "role:master\r\nconnected_slaves:0\r\n");
    add("Cluster", "cluster_enabled:0\r\n");
    add("Keyspace", "");
    out_->verbatim(text);
  }
};

// What is the same for commands that go over all tables.
class AllTables : public RespCommand {
 public:
  bool wants_all_tables() const override { return !is_refused(); }

 protected:
  Access row_access() const override { return Access::kRead; }
  // Before the first row of a table. False: it is not known what is below all its keys.
  bool from_beginning(Request& request, const mapping::Mapping& table, uint32_t target_number) {
    std::optional<std::string> lowest = lowest_of(table.columns[table.key[0]].kind);
    if (!lowest) return false;
    lowest_text_ = *std::move(lowest);
    lowest_.assign(1, Value::of(lowest_text_));
    request.index_id = target_number;
    request.op = KeyOperator::kGreaterOrEqual;
    request.key = lowest_;
    request.key_count = 1;
    return true;
  }
  // A table that the account may not read is not there.
  void failed(const Error& error) override {
    if (error.code == ErrorCode::kAccessDenied || error.code == ErrorCode::kOpenTable) return;
    if (error.code == ErrorCode::kOperator) return;  // nor one whose keys have no order
    RespCommand::failed(error);
  }

 private:
  std::string lowest_text_;
  std::vector<Value> lowest_;
};

class DbSize final : public AllTables {
  void take() override {}
  void prepare() override {
    at_ = 0;
    rows_ = 0;
    for (const mapping::Mapping* table : tables_) (void)target(*table, table->key);
  }
  bool next_request(Request& request) override {
    while (at_ < tables_.size()) {
      const mapping::Mapping& table = *tables_[at_++];
      if (!from_beginning(request, table, target(table, table.key))) continue;
      request.verb = Verb::kCount;
      request.limit = 0;
      return true;
    }
    return false;
  }
  void count(uint64_t number) override { rows_ += number; }
  void reply() override { out_->integer(rows_); }

  size_t at_ = 0;
  uint64_t rows_ = 0;
};

// SCAN goes over the tables in the order of their names, and over each in its key's order.
class Scan final : public AllTables {
  void take() override {
    pattern_ = "*";
    type_ = {};
    count_ = kUsual;
    int64_t cursor = 0;
    if (!parse_integer(argument(1), &cursor) || cursor < 0) return refuse("ERR invalid cursor");
    for (size_t at = 2; at < count_of_arguments(); at += 2) {
      if (at + 1 == count_of_arguments()) return refuse(kSyntax);
      if (is_word(at, "MATCH")) {
        pattern_ = argument(at + 1);
      } else if (is_word(at, "TYPE")) {
        type_ = argument(at + 1);
      } else if (is_word(at, "COUNT")) {
        if (!take_integer(at + 1, &count_)) return;
      } else {
        count_ = 0;  // this is no option
      }
      if (count_ < 1) return refuse(kSyntax);
    }
    count_ = std::min(count_, kMost);
    from_.reset();
    if (cursor == 0) return;
    from_ = scan_places().find(static_cast<uint64_t>(cursor));
    if (!from_) refuse("ERR invalid cursor");
  }

  void prepare() override {
    found_.clear();
    place_.reset();
    left_ = count_;
    at_ = 0;
    is_amid_ = from_ && !from_->key.empty();
    if (from_) {
      while (at_ < tables_.size() && tables_[at_]->name < from_->table) ++at_;
      is_amid_ &= at_ < tables_.size() && tables_[at_]->name == from_->table &&
                  tables_[at_]->key.size() == from_->key.size();
    }
    for (const mapping::Mapping* table : tables_) (void)target(*table, table->key);
  }

  bool next_request(Request& request) override {
    while (at_ < tables_.size() && !is_wanted(*tables_[at_])) {
      ++at_;
      is_amid_ = false;
    }
    if (at_ == tables_.size()) return false;
    const mapping::Mapping& table = *tables_[at_];
    if (left_ == 0) {
      if (!place_) place_ = ScanPlace{table.name, {}};
      return false;
    }
    const uint32_t number = target(table, table.key);
    if (!from_beginning(request, table, number)) return go_on(request);
    request.verb = Verb::kFind;
    if (is_amid_) {
      key_.clear();
      for (const std::string& part : from_->key) key_.push_back(Value::of(part));
      request.op = KeyOperator::kGreater;
      request.key = key_;
      request.key_count = static_cast<uint32_t>(key_.size());
    }
    request.limit = static_cast<uint32_t>(left_);
    place_.reset();
    rows_ = 0;
    ++at_;
    is_amid_ = false;
    return true;
  }
  bool go_on(Request& request) {
    ++at_;
    is_amid_ = false;
    return next_request(request);
  }
  bool is_wanted(const mapping::Mapping& table) const {
    return type_.empty() || lower(type_) == type_of(table);
  }

  bool row(std::span<const Value> values) override {
    const mapping::Mapping& table = *tables_[at_ - 1];
    ++rows_;
    std::string key = table.prefix + join_value(values, table.separator);
    if (is_named(table, values) && is_like(key, pattern_)) found_.push_back(std::move(key));
    if (rows_ < left_) return true;
    place_ = ScanPlace{table.name, {}};
    for (const Value& value : values) place_->key.emplace_back(value.text());
    return true;
  }
  void end_rows() override { left_ -= rows_; }

  // Whether the key means the row: only the last part may have the separator inside.
  static bool is_named(const mapping::Mapping& table, std::span<const Value> key) {
    return std::ranges::none_of(key.first(key.size() - 1), [&](const Value& part) {
      return part.text().find(table.separator) != std::string_view::npos;
    });
  }

  void reply() override {
    out_->array(2);
    out_->bulk(place_ ? std::to_string(scan_places().add(*std::move(place_))) : "0");
    out_->array(found_.size());
    for (const std::string& key : found_) out_->bulk(key);
  }

  static constexpr int64_t kUsual = 10, kMost = 10'000;
  std::string_view pattern_, type_;
  int64_t count_ = kUsual, left_ = 0, rows_ = 0;
  std::optional<ScanPlace> from_, place_;
  size_t at_ = 0;         // the next table
  bool is_amid_ = false;  // it is gone on with behind from_
  std::vector<Value> key_;
  std::vector<std::string> found_;
};

}  // namespace

ScanPlaces& scan_places() {
  static ScanPlaces places;
  return places;
}

Made make_command() { return std::make_unique<CommandCommand>(); }
Made make_config() { return std::make_unique<Config>(); }
Made make_info() { return std::make_unique<Info>(); }
Made make_scan() { return std::make_unique<Scan>(); }
Made make_db_size() { return std::make_unique<DbSize>(); }

}  // namespace hs::protocol::resp
