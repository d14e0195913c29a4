// INFO. Whatever is told is true of the whole server; what is not known is left out.
#include <unistd.h>

#include <cstdio>

#include "protocol/resp/all_tables.h"
#include "protocol/resp/families.h"
#include "protocol/resp/hello.h"
#include "protocol/server_view.h"

namespace hs::protocol::resp {
namespace {

constexpr int64_t kDayMs = 86'400'000;

std::string bytes_for_people(uint64_t bytes) {
  constexpr std::pair<uint64_t, char> kUnits[] = {
      {uint64_t{1} << 30, 'G'}, {1u << 20, 'M'}, {1u << 10, 'K'}};
  for (const auto& [size, letter] : kUnits) {
    if (bytes < size) continue;
    char text[32];
    const int length =
        std::snprintf(text, sizeof text, "%.2f%c",
                      static_cast<double>(bytes) / static_cast<double>(size), letter);
    return {text, static_cast<size_t>(length)};
  }
  return std::to_string(bytes) + 'B';
}

// The lines of a section.
class Lines {
 public:
  Lines& add(std::string_view name, std::string_view value) {
    text_.append(name).append(":").append(value).append("\r\n");
    return *this;
  }
  Lines& add(std::string_view name, uint64_t value) { return add(name, std::to_string(value)); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// The rows are counted only for whoever asks for `keyspace` by name: nobody else counts them.
class Info final : public CountsRows {
 public:
  bool wants_all_tables() const override { return counts_; }

 private:
  void take() override {
    counts_ = false;
    for (size_t i = 1; i < count_of_arguments(); ++i) counts_ |= is_word(i, "keyspace");
  }
  Access row_access() const override { return counts_ ? Access::kRead : Access::kNone; }

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
  void add(std::string_view section, Lines&& lines) {
    if (!wants(section)) return;
    if (!text_.empty()) text_ += "\r\n";
    text_.append("# ").append(section).append("\r\n").append(lines.take());
  }
  void reply() override {
    text_.clear();
    Lines server;
    server.add("redis_version", kRedisVersion)
        .add("redis_mode", "standalone")
        .add("handlersocket_version", facts_.version)
        .add("mariadb_version", facts_.server_version)
        .add("arch_bits", sizeof(void*) * 8)
        .add("process_id", static_cast<uint64_t>(::getpid()));
    if (facts_.now_ms != nullptr) {
      server.add("server_time_usec", static_cast<uint64_t>(facts_.now_ms()) * 1000);
    }
    if (facts_.server == nullptr) {
      add("Server", std::move(server));
    } else {
      add_numbers(std::move(server), facts_.server->numbers());
    }
    add("Cluster", std::move(Lines().add("cluster_enabled", 0)));
    Lines keyspace;
    if (counts_ && rows() != 0) keyspace.add("db0", "keys=" + std::to_string(rows()));
    add("Keyspace", std::move(keyspace));
    out_->verbatim(text_);
  }
  void add_numbers(Lines&& server, const ServerNumbers& now) {
    const auto uptime_ms = static_cast<uint64_t>(now.uptime_ms);
    add("Server", std::move(server.add("uptime_in_seconds", uptime_ms / 1000)
                                .add("uptime_in_days", uptime_ms / kDayMs)));
    add("Clients", std::move(Lines()
                                 .add("connected_clients", now.connections)
                                 .add("maxclients", now.max_connections)
                                 .add("blocked_clients", 0)));
    add("Memory", std::move(Lines()
                                .add("used_memory", now.memory)
                                .add("used_memory_human", bytes_for_people(now.memory))
                                .add("maxmemory", now.max_memory)
                                .add("maxmemory_human", bytes_for_people(now.max_memory))
                                .add("maxmemory_policy", "noeviction")));
    add("Persistence", std::move(Lines().add("loading", 0).add("aof_enabled", 1)));
    add("Stats", std::move(Lines()
                               .add("total_connections_received", now.connections_accepted)
                               .add("total_commands_processed", now.requests)
                               .add("total_net_input_bytes", now.bytes_received)
                               .add("total_net_output_bytes", now.bytes_sent)
                               .add("rejected_connections", now.connections_refused)
                               .add("total_error_replies", now.errors)
                               .add("evicted_keys", 0)));
    add("Replication", std::move(Lines().add("role", now.is_read_only ? "slave" : "master")));
  }

  bool counts_ = false;
  std::string text_;
};

}  // namespace

Made make_info() { return std::make_unique<Info>(); }

}  // namespace hs::protocol::resp
