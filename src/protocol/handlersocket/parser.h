// Turns one request line into a Request: the grammar of the HandlerSocket protocol.
//
//   open    P <id> <database> <table> <index> <columns> [<filter columns>]
//   hello   H <version> [<client>]
//   describe  D [<database> [<table> [I]]]
//   gtid    G L  |  G W <gtids> <ms>
//   transaction  T B [RU|RC|RR|SR] [RO]  |  T C  |  T R  |  T S <name>  |  T U <name>
//   auth    A 1 <key>  |  A 2 <user> [<methods>]  |  A 3 <response>  |  A 4 <user> <password>
//   insert  <id> +[!] <n> <value>*n
//   put     <id> +I|+R[?|!] <n> <value>*n
//   upsert  <id> +U[?|!] <n> <value>*n [<m> <value>*m]
//   find    <id> <op> <n> <key>*n [<limit> [<offset> <in>? <filter>* (<modify> | C)?]]
//   in      @|& <key part> <count> <value>*count
//   filter  F|W <op> <filter column> <value>
//   modify  U|D|+|-[?|!] <value>*
//
// Says only what the line itself means. What depends on the connection (authentication, open
// indexes and their columns, whether it may change rows) is left to the caller. Keeps no state but
// scratch memory, so parsing a line again gives an equal Request. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/handlersocket/tokens.h"
#include "protocol/request.h"

namespace hs::protocol::handlersocket {

class Parser {
 public:
  // How much memory is kept from one request to the next, in bytes, once a request has used as
  // much.
  static constexpr size_t kKeptScratch = 3u << 20;

  Parser() = default;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // `line` is without its LF (and CR) and is not modified. The Request's views point into `line` or
  // into this parser: they are valid as long as `line`, and until the next call. Works on any
  // bytes, and takes memory only in proportion to them, whatever numbers they spell. May throw
  // std::bad_alloc.
  Request parse(std::string_view line);

  // Bytes held for the next request.
  size_t scratch() const;

 private:
  // A part of values_ by its positions, since values_ moves while it grows.
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };

  void start(std::string_view line);
  void parse_open(Tokens& tokens, Request& request);
  void parse_hello(Tokens& tokens, Request& request);
  void parse_describe(Tokens& tokens, Request& request);
  void parse_gtid(Tokens& tokens, Request& request);
  void parse_transaction(Tokens& tokens, Request& request);
  void parse_auth(Tokens& tokens, Request& request);
  void parse_indexed(std::string_view first, Tokens& tokens, Request& request);
  bool parse_updates(Tokens& tokens, Request& request);
  bool parse_options(Tokens& tokens, Request& request, Range& in);
  bool parse_in(Tokens& tokens, Request& request, Range& in);
  bool parse_filter(std::string_view type, Tokens& tokens, Request& request);
  void parse_count(uint32_t limit, Tokens& tokens, Request& request);
  bool parse_modification(std::string_view token, Tokens& tokens, Request& request);

  bool parse_values(uint32_t count, Tokens& tokens, Request& request);
  bool has_room(Request& request) const;
  Value parse_value(std::string_view token, Request& request);
  Value decode(std::string_view token, Request& request);
  std::span<const Value> view(Range range) const;

  const char* line_end_ = nullptr;
  bool line_has_escapes_ = false;
  std::vector<Value> values_;  // of all kinds, in the order of the line
  std::vector<Filter> filters_;
  std::unique_ptr<char[]> decoded_;  // unescaped values, one behind the other
  size_t decoded_capacity_ = 0;
  size_t decoded_size_ = 0;
};

}  // namespace hs::protocol::handlersocket
