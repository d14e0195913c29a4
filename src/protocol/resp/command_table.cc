#include "protocol/resp/command_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hs::protocol::resp {
namespace {

using In = CommandInfo::InTransaction;
using Kind = CommandInfo::Kind;

// clang-format off
constexpr CommandInfo kCommands[] = {
  {"acl",        -2, "noscript loading stale", 0, 0, 0, "server", "Tells which account the client has.", make_acl, In::kQueued, Kind::kHasSubcommands},
  {"append",      3, "write denyoom fast",     1, 1, 1, "string", "Appends to the value of a row.", make_append},
  {"auth",       -2, "noscript loading stale fast no_auth", 0, 0, 0, "connection", "Logs in.", make_echo, In::kNot, Kind::kAuth},
  {"client",     -2, "noscript loading stale", 0, 0, 0, "connection", "Tells of the connection.", make_client, In::kQueued, Kind::kHasSubcommands},
  {"command",    -1, "loading stale",          0, 0, 0, "server", "Tells which commands are served.", make_command, In::kQueued, Kind::kHasSubcommands},
  {"config",     -2, "admin noscript loading stale", 0, 0, 0, "server", "Tells of settings.", make_config, In::kQueued, Kind::kHasSubcommands},
  {"dbsize",      1, "readonly fast",          0, 0, 0, "server", "Counts the rows of all tables with a name.", make_db_size, In::kNot},
  {"decr",        2, "write denyoom fast",     1, 1, 1, "string", "Takes one from the value of a row.", make_decr},
  {"decrby",      3, "write denyoom fast",     1, 1, 1, "string", "Takes a number from the value of a row.", make_decr_by},
  {"del",        -2, "write",                  1, -1, 1, "generic", "Deletes rows.", make_delete},
  {"discard",     1, "noscript loading stale fast", 0, 0, 0, "transactions", "Forgets what was queued.", make_discard, In::kAtOnce},
  {"echo",        2, "loading stale fast",     0, 0, 0, "connection", "Returns its argument.", make_echo},
  {"exec",        1, "noscript loading stale", 0, 0, 0, "transactions", "Executes what was queued.", make_exec, In::kAtOnce, Kind::kExec},
  {"exists",     -2, "readonly fast",          1, -1, 1, "generic", "Counts the keys whose rows are there.", make_exists},
  {"expire",     -3, "write fast",             1, 1, 1, "generic", "Sets when a row expires, in seconds from now.", make_expire},
  {"expireat",   -3, "write fast",             1, 1, 1, "generic", "Sets when a row expires, in seconds since 1970.", make_expire_at},
  {"expiretime",  2, "readonly fast",          1, 1, 1, "generic", "Tells when a row expires, in seconds since 1970.", make_expire_time},
  {"get",         2, "readonly fast",          1, 1, 1, "string", "Returns the value of a row.", make_get},
  {"getdel",      2, "write fast",             1, 1, 1, "string", "Deletes a row and returns its value.", make_get_delete},
  {"getex",      -2, "write fast",             1, 1, 1, "string", "Returns the value of a row and sets when it expires.", make_get_ex},
  {"getrange",    4, "readonly",               1, 1, 1, "string", "Returns a part of the value of a row.", make_get_range},
  {"getset",      3, "write denyoom fast",     1, 1, 1, "string", "Sets the value of a row and returns what it was.", make_get_set},
  {"hdel",       -3, "write fast",             1, 1, 1, "hash", "Sets columns of a row to NULL.", make_hash_delete},
  {"hello",      -1, "noscript loading stale fast no_auth", 0, 0, 0, "connection", "Chooses the version of the protocol.", make_hello, In::kNot, Kind::kHello},
  {"hexists",     3, "readonly fast",          1, 1, 1, "hash", "Tells whether a column of a row has a value.", make_hash_exists},
  {"hget",        3, "readonly fast",          1, 1, 1, "hash", "Returns a column of a row.", make_hash_get},
  {"hgetall",     2, "readonly",               1, 1, 1, "hash", "Returns all columns of a row.", make_hash_get_all},
  {"hincrby",     4, "write denyoom fast",     1, 1, 1, "hash", "Adds to a column of a row.", make_hash_incr_by},
  {"hincrbyfloat", 4, "write denyoom fast",    1, 1, 1, "hash", "Adds a number with a point to a column of a row.", make_hash_incr_by_float},
  {"hkeys",       2, "readonly",               1, 1, 1, "hash", "Returns the names of the columns of a row that have values.", make_hash_keys},
  {"hlen",        2, "readonly fast",          1, 1, 1, "hash", "Counts the columns of a row that have values.", make_hash_length},
  {"hmget",      -3, "readonly fast",          1, 1, 1, "hash", "Returns columns of a row.", make_hash_multi_get},
  {"hmset",      -4, "write denyoom fast",     1, 1, 1, "hash", "Sets columns of a row.", make_hash_multi_set},
  {"hscan",      -3, "readonly",               1, 1, 1, "hash", "Returns the columns of a row that are like a pattern.", make_hash_scan},
  {"hset",       -4, "write denyoom fast",     1, 1, 1, "hash", "Sets columns of a row.", make_hash_set},
  {"hsetnx",      4, "write denyoom fast",     1, 1, 1, "hash", "Sets a column of a row that has no value there.", make_hash_set_nx},
  {"hstrlen",     3, "readonly fast",          1, 1, 1, "hash", "Returns the length of a column of a row.", make_hash_string_length},
  {"hvals",       2, "readonly",               1, 1, 1, "hash", "Returns the values of the columns of a row.", make_hash_values},
  {"incr",        2, "write denyoom fast",     1, 1, 1, "string", "Adds one to the value of a row.", make_incr},
  {"incrby",      3, "write denyoom fast",     1, 1, 1, "string", "Adds a number to the value of a row.", make_incr_by},
  {"incrbyfloat", 3, "write denyoom fast",     1, 1, 1, "string", "Adds a number with a point to the value of a row.", make_incr_by_float},
  {"info",       -1, "loading stale",          0, 0, 0, "server", "Tells of the server.", make_info, In::kNot},
  {"memory",     -2, "readonly",               2, 2, 1, "server", "Tells how many bytes a row's value has.", make_memory, In::kQueued, Kind::kHasSubcommands},
  {"mget",       -2, "readonly fast",          1, -1, 1, "string", "Returns the values of rows.", make_multi_get},
  {"module",     -2, "noscript loading stale", 0, 0, 0, "server", "Lists no modules.", make_module, In::kQueued, Kind::kHasSubcommands},
  {"mset",       -3, "write denyoom",          1, -1, 2, "string", "Sets the values of rows.", make_multi_set},
  {"multi",       1, "noscript loading stale fast", 0, 0, 0, "transactions", "Queues what follows until EXEC.", make_multi, In::kAtOnce},
  {"object",     -2, "readonly",               2, 2, 1, "generic", "Tells of a row.", make_object, In::kQueued, Kind::kHasSubcommands},
  {"persist",     2, "write fast",             1, 1, 1, "generic", "Lets a row never expire.", make_persist},
  {"pexpire",    -3, "write fast",             1, 1, 1, "generic", "Sets when a row expires, in milliseconds from now.", make_pexpire},
  {"pexpireat",  -3, "write fast",             1, 1, 1, "generic", "Sets when a row expires, in milliseconds since 1970.", make_pexpire_at},
  {"pexpiretime", 2, "readonly fast",          1, 1, 1, "generic", "Tells when a row expires, in milliseconds since 1970.", make_pexpire_time},
  {"ping",       -1, "fast",                   0, 0, 0, "connection", "Returns PONG.", make_ping},
  {"psetex",      4, "write denyoom",          1, 1, 1, "string", "Sets the value of a row that expires in milliseconds.", make_pset_ex},
  {"pttl",        2, "readonly fast",          1, 1, 1, "generic", "Tells when a row expires, in milliseconds from now.", make_pttl},
  {"quit",       -1, "noscript loading stale fast no_auth", 0, 0, 0, "connection", "Ends the connection.", make_quit, In::kAtOnce, Kind::kQuit},
  {"reset",       1, "noscript loading stale fast no_auth", 0, 0, 0, "connection", "Forgets what was said to the connection.", make_reset, In::kAtOnce},
  {"scan",       -2, "readonly",               0, 0, 0, "generic", "Returns keys of all tables with a name.", make_scan, In::kNot},
  {"select",      2, "loading stale fast",     0, 0, 0, "connection", "Chooses database 0, which is the only one.", make_select},
  {"set",        -3, "write denyoom",          1, 1, 1, "string", "Sets the value of a row.", make_set},
  {"setex",       4, "write denyoom",          1, 1, 1, "string", "Sets the value of a row that expires in seconds.", make_set_ex},
  {"setnx",       3, "write denyoom fast",     1, 1, 1, "string", "Inserts a row that is not there.", make_set_nx},
  {"strlen",      2, "readonly fast",          1, 1, 1, "string", "Returns the length of the value of a row.", make_string_length},
  {"substr",      4, "readonly",               1, 1, 1, "string", "Returns a part of the value of a row.", make_get_range},
  {"time",        1, "loading stale fast",     0, 0, 0, "server", "Returns the time.", make_time},
  {"touch",      -2, "readonly fast",          1, -1, 1, "generic", "Counts the keys whose rows are there.", make_exists},
  {"ttl",         2, "readonly fast",          1, 1, 1, "generic", "Tells when a row expires, in seconds from now.", make_ttl},
  {"type",        2, "readonly fast",          1, 1, 1, "generic", "Tells whether a row is a string or a hash.", make_type},
  {"unlink",     -2, "write fast",             1, -1, 1, "generic", "Deletes rows.", make_delete},
  {"unwatch",     1, "noscript loading stale fast", 0, 0, 0, "transactions", "Forgets which rows are watched.", make_unwatch},
  {"watch",      -2, "noscript loading stale fast", 1, -1, 1, "transactions", "Lets EXEC do nothing when a row has changed.", make_watch, In::kAtOnce},
  {"zcard",       2, "readonly fast",          1, 1, 1, "sorted-set", "Counts the rows of a set.", make_set_size},
  {"zcount",      4, "readonly fast",          1, 1, 1, "sorted-set", "Counts the rows of a set between two scores.", make_set_count},
  {"zlexcount",   4, "readonly fast",          1, 1, 1, "sorted-set", "Counts the rows of a set between two members.", make_set_member_count},
  {"zmscore",    -3, "readonly fast",          1, 1, 1, "sorted-set", "Returns the scores of members of a set.", make_set_scores},
  {"zrange",     -4, "readonly",               1, 1, 1, "sorted-set", "Returns members of a set in its order.", make_set_range},
  {"zrangebylex", -4, "readonly",              1, 1, 1, "sorted-set", "Returns members of a set between two members.", make_set_range_by_member},
  {"zrangebyscore", -4, "readonly",            1, 1, 1, "sorted-set", "Returns members of a set between two scores.", make_set_range_by_score},
  {"zrevrange",  -4, "readonly",               1, 1, 1, "sorted-set", "Returns members of a set against its order.", make_set_reverse_range},
  {"zrevrangebylex", -4, "readonly",           1, 1, 1, "sorted-set", "Returns members of a set between two members, against its order.", make_set_reverse_range_by_member},
  {"zrevrangebyscore", -4, "readonly",         1, 1, 1, "sorted-set", "Returns members of a set between two scores, against its order.", make_set_reverse_range_by_score},
  {"zscore",      3, "readonly fast",          1, 1, 1, "sorted-set", "Returns the score of a member of a set.", make_set_score},
};

constexpr struct { std::string_view name, reason; } kNotServed[] = {
  {"bgrewriteaof", "every change is durable already"},
  {"bgsave", "every change is durable already"},
  {"blmove", "there are no lists"}, {"blmpop", "there are no lists"},
  {"blpop", "there are no lists"}, {"brpop", "there are no lists"}, {"brpoplpush", "there are no lists"},
  {"bzmpop", "rows are deleted by DEL"}, {"bzpopmax", "rows are deleted by DEL"}, {"bzpopmin", "rows are deleted by DEL"},
  {"debug", "it is for tests of Redis"},
  {"eval", "there are no scripts: use MULTI and WATCH"}, {"evalsha", "there are no scripts: use MULTI and WATCH"},
  {"eval_ro", "there are no scripts: use MULTI and WATCH"}, {"evalsha_ro", "there are no scripts: use MULTI and WATCH"},
  {"fcall", "there are no functions: use MULTI and WATCH"}, {"fcall_ro", "there are no functions: use MULTI and WATCH"},
  {"flushall", "it would delete every row of every table"}, {"flushdb", "it would delete every row of every table"},
  {"failover", "replication is set up by SQL"},
  {"keys", "it would read every row of every table: use SCAN"},
  {"latency", "see INFORMATION_SCHEMA.HANDLERSOCKET_LATENCY"},
  {"monitor", "see the slow log and INFORMATION_SCHEMA.HANDLERSOCKET_CONNECTIONS"},
  {"psync", "rows are replicated by the database"}, {"replicaof", "replication is set up by SQL"},
  {"role", "it is not known how many replicas there are: see INFO replication"},
  {"shutdown", "it would end the database"}, {"slaveof", "replication is set up by SQL"},
  {"slowlog", "see handlersocket_slow_log"}, {"swapdb", "there is one database"}, {"sync", "rows are replicated by the database"},
  {"xread", "there are no streams"}, {"xreadgroup", "there are no streams"},
  {"psubscribe", "changes by SQL would not be told"}, {"publish", "changes by SQL would not be told"},
  {"script", "there are no scripts: use MULTI and WATCH"},
  {"ssubscribe", "changes by SQL would not be told"}, {"subscribe", "changes by SQL would not be told"},
  {"zadd", "a set is the rows of a table: set their columns by HSET"},
  {"zincrby", "a set is the rows of a table: count on their columns by HINCRBY"},
  {"zrem", "a set is the rows of a table: delete them by DEL"},
  {"wait", "it is not known how many replicas have a change"}, {"waitaof", "it is not known how many replicas have a change"},
};

constexpr std::string_view kOfClusters[] = {"asking", "cluster", "readonly", "readwrite"};
// clang-format on

// A table of hashes, so that a command is found by one comparison as a rule.
constexpr size_t kPlaces = 512;
constexpr size_t kLongestName = 16;

size_t place_of(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c | 0x20)) * 16777619u;
  return (hash ^ (hash >> 15)) % kPlaces;
}

bool is_same(std::string_view known, std::string_view name) {
  return known.size() == name.size() &&
         std::equal(known.begin(), known.end(), name.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

std::array<uint8_t, kPlaces> make_places() {
  std::array<uint8_t, kPlaces> places{};  // 0: none; else the number and one
  for (size_t i = 0; i < std::size(kCommands); ++i) {
    size_t place = place_of(kCommands[i].name);
    while (places[place] != 0) place = (place + 1) % kPlaces;
    places[place] = static_cast<uint8_t>(i + 1);
  }
  return places;
}

}  // namespace

std::span<const CommandInfo> all_commands() { return kCommands; }

const CommandInfo* find_command(std::string_view name) {
  static const std::array<uint8_t, kPlaces> places = make_places();
  if (name.empty() || name.size() > kLongestName) return nullptr;
  for (size_t place = place_of(name); places[place] != 0; place = (place + 1) % kPlaces) {
    const CommandInfo& known = kCommands[places[place] - 1];
    if (is_same(known.name, name)) return &known;
  }
  return nullptr;
}

std::string_view reason_against(std::string_view name) {
  const auto* const known =
      std::find_if(std::begin(kNotServed), std::end(kNotServed),
                   [name](const auto& one) { return is_same(one.name, name); });
  return known == std::end(kNotServed) ? std::string_view() : known->reason;
}

bool is_of_clusters(std::string_view name) {
  return std::any_of(std::begin(kOfClusters), std::end(kOfClusters),
                     [name](std::string_view one) { return is_same(one, name); });
}

}  // namespace hs::protocol::resp
