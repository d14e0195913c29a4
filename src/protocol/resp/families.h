// Makes an object for each command (see command_table.cc).
#pragma once

#include <memory>
#include <string_view>

#include "protocol/resp/command.h"

namespace hs::protocol::resp {

using Made = std::unique_ptr<RespCommand>;

// What TYPE says of a table's rows.
std::string_view type_of(const mapping::Mapping& table);

// reads.cc
Made make_get();
Made make_multi_get();
Made make_string_length();
Made make_get_range();
Made make_exists();
Made make_type();
Made make_object();
Made make_memory();
// writes.cc
Made make_set();
Made make_set_ex();   // SETEX
Made make_pset_ex();  // PSETEX
Made make_set_nx();
Made make_get_set();
Made make_multi_set();
Made make_append();
// deletes.cc
Made make_delete();
Made make_get_delete();
// counters.cc
Made make_incr();
Made make_decr();
Made make_incr_by();
Made make_decr_by();
Made make_incr_by_float();
Made make_hash_incr_by();
Made make_hash_incr_by_float();
// expiry.cc
Made make_expire();
Made make_pexpire();
Made make_expire_at();
Made make_pexpire_at();
Made make_ttl();
Made make_pttl();
Made make_expire_time();
Made make_pexpire_time();
Made make_persist();
Made make_get_ex();
// hashes.cc
Made make_hash_get();
Made make_hash_multi_get();
Made make_hash_get_all();
Made make_hash_keys();
Made make_hash_values();
Made make_hash_length();
Made make_hash_exists();
Made make_hash_string_length();
Made make_hash_scan();
Made make_hash_set();
Made make_hash_multi_set();
Made make_hash_set_nx();
Made make_hash_delete();
// sorted_sets.cc
Made make_set_size();            // ZCARD
Made make_set_count();           // ZCOUNT
Made make_set_member_count();    // ZLEXCOUNT
Made make_set_range();           // ZRANGE
Made make_set_reverse_range();   // ZREVRANGE
Made make_set_range_by_score();  // ZRANGEBYSCORE
Made make_set_reverse_range_by_score();
Made make_set_range_by_member();  // ZRANGEBYLEX
Made make_set_reverse_range_by_member();
Made make_set_score();   // ZSCORE
Made make_set_scores();  // ZMSCORE
// connection.cc
Made make_ping();
Made make_echo();
Made make_hello();
Made make_select();
Made make_quit();
Made make_reset();
Made make_time();
// client.cc
Made make_client();
// tools.cc
Made make_command();
Made make_config();
Made make_acl();
Made make_module();
// info.cc
Made make_info();
// scans.cc
Made make_scan();
Made make_db_size();
// transactions.cc
Made make_multi();
Made make_exec();
Made make_discard();
Made make_watch();
Made make_unwatch();

// What no table of commands has: the answer to a message that is no command.
class Refusal final : public RespCommand {
 public:
  explicit Refusal(std::string text) : text_(std::move(text)) {}

 protected:
  void take() override { refuse(text_); }
  void reply() override {}

 private:
  std::string text_;
};

}  // namespace hs::protocol::resp
