#include "protocol/handlersocket/parser.h"

#include <string.h>

#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "protocol/handlersocket/encoding.h"

namespace hs::protocol::handlersocket {
namespace {

// A third of kKeptScratch for each of the three kinds of scratch memory. A usual large request
// finds its memory again; a giant one does not keep it.
constexpr size_t kKeptValues = Parser::kKeptScratch / 3 / sizeof(Value);
constexpr size_t kKeptFilters = Parser::kKeptScratch / 3 / sizeof(Filter);
constexpr size_t kKeptDecoded = Parser::kKeptScratch / 3;

template <class T>
void restart(std::vector<T>& vector, size_t kept) {
  if (vector.capacity() > kept) {
    vector = std::vector<T>();
  } else {
    vector.clear();
  }
}

// Keeps the error that comes first in the order of checks. Of the same stage it keeps the first
// found.
void fail(Request& request, ErrorStage stage, ErrorCode code) {
  if (request.error && request.error_stage <= stage) return;
  request.error = code;
  request.error_stage = stage;
}

bool is(std::string_view token, char c) { return token.size() == 1 && token[0] == c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

uint32_t number_or_fail(std::string_view token, ErrorStage stage, Request& request) {
  const Number number = parse_number(token);
  if (!number.ok()) fail(request, stage, ErrorCode::kNumber);
  return number.value;
}

std::string_view next_or_fail(Tokens& tokens, Request& request) {
  if (!tokens.more()) fail(request, ErrorStage::kContents, ErrorCode::kMissingValue);
  return tokens.next();
}

// Compares characters, not strings: every request comes here, and this makes no call.
std::optional<KeyOperator> key_operator(std::string_view token) {
  if (token.empty() || token.size() > 2) return std::nullopt;
  const bool or_equal = token.size() == 2;
  if (or_equal && token[1] != '=') {
    return token == "=<" ? std::optional(KeyOperator::kEqualDescending) : std::nullopt;
  }
  switch (token[0]) {
    case '=':
      return or_equal ? std::nullopt : std::optional(KeyOperator::kEqual);
    case '>':
      return or_equal ? KeyOperator::kGreaterOrEqual : KeyOperator::kGreater;
    case '<':
      return or_equal ? KeyOperator::kLessOrEqual : KeyOperator::kLess;
    default:
      return std::nullopt;
  }
}

std::optional<FilterOperator> filter_operator(std::string_view token) {
  if (token == "!=") return FilterOperator::kNotEqual;
  const std::optional<KeyOperator> op = key_operator(token);
  if (!op) return std::nullopt;
  switch (*op) {
    case KeyOperator::kEqual:
      return FilterOperator::kEqual;
    case KeyOperator::kEqualDescending:
      break;
    case KeyOperator::kGreater:
      return FilterOperator::kGreater;
    case KeyOperator::kGreaterOrEqual:
      return FilterOperator::kGreaterOrEqual;
    case KeyOperator::kLess:
      return FilterOperator::kLess;
    case KeyOperator::kLessOrEqual:
      return FilterOperator::kLessOrEqual;
  }
  return std::nullopt;
}

AuthMethod auth_method(std::string_view type) {
  if (is(type, '1')) return AuthMethod::kSecret;
  if (is(type, '2')) return AuthMethod::kChallenge;
  if (is(type, '3')) return AuthMethod::kResponse;
  if (is(type, '4')) return AuthMethod::kPassword;
  return AuthMethod::kUnknown;
}

std::optional<TransactionStep> transaction_step(std::string_view token) {
  if (is(token, 'B')) return TransactionStep::kBegin;
  if (is(token, 'C')) return TransactionStep::kCommit;
  if (is(token, 'R')) return TransactionStep::kRollback;
  if (is(token, 'S')) return TransactionStep::kSavepoint;
  if (is(token, 'U')) return TransactionStep::kRollbackTo;
  return std::nullopt;
}

std::optional<Isolation> isolation(std::string_view token) {
  if (token == "RU") return Isolation::kReadUncommitted;
  if (token == "RC") return Isolation::kReadCommitted;
  if (token == "RR") return Isolation::kRepeatableRead;
  if (token == "SR") return Isolation::kSerializable;
  return std::nullopt;
}

std::optional<Modification> modification(char c) {
  switch (c) {
    case 'U':
      return Modification::kUpdate;
    case 'D':
      return Modification::kDelete;
    case '+':
      return Modification::kIncrement;
    case '-':
      return Modification::kDecrement;
    default:
      return std::nullopt;
  }
}

// The forms of an insert: +, +I, +U or +R, and behind it ? or !. False: the token is none of them.
bool read_insert_form(std::string_view token, Request& request) {
  if (token.empty() || token[0] != '+' || token.size() > 3) return false;
  token.remove_prefix(1);
  OnDuplicate on_duplicate = OnDuplicate::kFail;
  if (token.starts_with('I')) on_duplicate = OnDuplicate::kIgnore;
  if (token.starts_with('U')) on_duplicate = OnDuplicate::kUpdate;
  if (token.starts_with('R')) on_duplicate = OnDuplicate::kReplace;
  if (on_duplicate != OnDuplicate::kFail) token.remove_prefix(1);
  // A row that is just added was not there before.
  const bool returns_old = is(token, '?') && on_duplicate != OnDuplicate::kFail;
  const bool returns_new = is(token, '!');
  if (!token.empty() && !returns_old && !returns_new) return false;
  request.verb = Verb::kInsert;
  request.on_duplicate = on_duplicate;
  request.return_old = returns_old;
  request.return_new = returns_new;
  return true;
}

}  // namespace

Request Parser::parse(std::string_view line) {
  start(line);
  Request request;
  Tokens tokens(line);
  const std::string_view first = tokens.next();
  if (!first.empty() && is_digit(first[0])) {
    parse_indexed(first, tokens, request);
  } else if (is(first, 'P')) {
    parse_open(tokens, request);
  } else if (is(first, 'A')) {
    parse_auth(tokens, request);
  } else if (is(first, 'H')) {
    parse_hello(tokens, request);
  } else if (is(first, 'D')) {
    parse_describe(tokens, request);
  } else if (is(first, 'G')) {
    parse_gtid(tokens, request);
  } else if (is(first, 'T')) {
    parse_transaction(tokens, request);
  } else {
    fail(request, ErrorStage::kIndexId, ErrorCode::kCommand);
  }
  return request;
}

size_t Parser::scratch() const {
  return values_.capacity() * sizeof(Value) + filters_.capacity() * sizeof(Filter) +
         decoded_capacity_;
}

void Parser::start(std::string_view line) {
  restart(values_, kKeptValues);
  restart(filters_, kKeptFilters);
  if (decoded_capacity_ > kKeptDecoded) {
    decoded_.reset();
    decoded_capacity_ = 0;
  }
  decoded_size_ = 0;
  line_end_ = line.data() + line.size();
  line_has_escapes_ = line.find(kEscape) != std::string_view::npos;
}

void Parser::parse_open(Tokens& tokens, Request& request) {
  // A missing token is an empty name, which no table has. Surplus tokens are ignored.
  request.verb = Verb::kOpen;
  request.index_id = number_or_fail(tokens.next(), ErrorStage::kIndexId, request);
  request.database = tokens.next();
  request.table = tokens.next();
  request.index = tokens.next();
  request.columns = tokens.next();
  request.filter_columns = tokens.next();
}

// Whatever version the client speaks, it is told the server's.
void Parser::parse_hello(Tokens& tokens, Request& request) {
  request.verb = Verb::kHello;
  number_or_fail(tokens.next(), ErrorStage::kContents, request);
  request.client_name = decode(tokens.next(), request);
}

// Names are values here: they may have escapes. Empty tokens are no names, as some clients end every
// line with a TAB.
void Parser::parse_describe(Tokens& tokens, Request& request) {
  request.verb = Verb::kDescribe;
  request.database = decode(tokens.next(), request).text();
  request.table = decode(tokens.next(), request).text();
  std::string_view option = tokens.next();
  request.of_indexes = is(option, 'I');
  if (request.of_indexes) option = tokens.next();
  const bool lacks_name = (request.database.empty() && !request.table.empty()) ||
                          (request.table.empty() && request.of_indexes);
  if (lacks_name) fail(request, ErrorStage::kContents, ErrorCode::kMissingValue);
  if (!option.empty() || tokens.more()) {
    fail(request, ErrorStage::kContents, ErrorCode::kValueCount);
  }
}

void Parser::parse_gtid(Tokens& tokens, Request& request) {
  const std::string_view what = tokens.next();
  request.verb = is(what, 'W') ? Verb::kAwaitGtid : Verb::kLastGtid;
  if (request.verb == Verb::kAwaitGtid) {
    request.gtids = parse_value(next_or_fail(tokens, request), request);
    request.wait_ms = number_or_fail(next_or_fail(tokens, request), ErrorStage::kContents, request);
  } else if (!is(what, 'L')) {
    fail(request, ErrorStage::kContents, ErrorCode::kOperator);
  }
  // Some clients end every line with a TAB.
  if (!tokens.next().empty() || tokens.more()) {
    fail(request, ErrorStage::kContents, ErrorCode::kValueCount);
  }
}

// A savepoint's name is a value: it may have escapes. A TAB at the end of the line ends it.
void Parser::parse_transaction(Tokens& tokens, Request& request) {
  const std::optional<TransactionStep> step = transaction_step(tokens.next());
  if (!step) return fail(request, ErrorStage::kIndexId, ErrorCode::kCommand);
  request.verb = Verb::kTransaction;
  request.step = *step;
  std::string_view option = tokens.next();
  if (*step == TransactionStep::kBegin) {
    if (const std::optional<Isolation> given = isolation(option)) {
      request.isolation = *given;
      option = tokens.next();
    }
    request.reads_only = option == "RO";
    if (request.reads_only) option = tokens.next();
  } else if (*step == TransactionStep::kSavepoint || *step == TransactionStep::kRollbackTo) {
    request.savepoint = decode(option, request).text();
    if (option.empty()) fail(request, ErrorStage::kContents, ErrorCode::kMissingValue);
    option = tokens.next();
  }
  if (!option.empty() || tokens.more()) {
    fail(request, ErrorStage::kContents, ErrorCode::kValueCount);
  }
}

void Parser::parse_auth(Tokens& tokens, Request& request) {
  request.verb = Verb::kAuth;
  const std::string_view type = tokens.next();
  request.auth_method = auth_method(type);
  const bool names_user =
      request.auth_method == AuthMethod::kChallenge || request.auth_method == AuthMethod::kPassword;
  if (names_user) request.auth_user = decode(tokens.next(), request);
  // Not parse_value(): a key is never NULL, or else a lone NUL byte would pass for the empty
  // secret.
  request.auth_key = decode(tokens.next(), request);
}

void Parser::parse_indexed(std::string_view first, Tokens& tokens, Request& request) {
  request.verb = Verb::kFind;
  request.index_id = number_or_fail(first, ErrorStage::kIndexId, request);

  const std::string_view op_token = tokens.next();
  const std::optional<KeyOperator> op = key_operator(op_token);
  const bool is_stub = is(op_token, 'S');
  if (op) {
    request.op = *op;
  } else if (!read_insert_form(op_token, request) && !is_stub) {
    fail(request, ErrorStage::kOperation, ErrorCode::kOperator);
  }

  const Number count = parse_number(tokens.next());
  if (count.state == Number::State::kTooLarge || count.value > kMaxRequestValues) {
    fail(request, ErrorStage::kCounts, ErrorCode::kValueCount);
    return;
  }
  if (count.value == 0) fail(request, ErrorStage::kOperation, ErrorCode::kKeyLength);
  if (is_stub) fail(request, ErrorStage::kOperation, ErrorCode::kNotImplemented);
  request.key_count = count.value;

  // The row of an insert stands where a find has its key. What may follow a key is checked behind a
  // row, too, but has no meaning there.
  if (!parse_values(count.value, tokens, request)) return;
  const Range leading{0, values_.size()};
  if (request.on_duplicate != OnDuplicate::kFail) {
    if (!parse_updates(tokens, request)) return;
    request.values = view(leading);
    if (request.updates) request.updates = view({leading.end, values_.size()});
    return;
  }
  Range in;
  Range modify;
  if (!parse_options(tokens, request, in)) return;
  modify = {std::max(in.end, leading.end), values_.size()};

  if (request.verb == Verb::kInsert) {
    request.values = view(leading);
  } else {
    request.key = view(leading);
    request.values = view(modify);
  }
  if (request.in) request.in->values = view(in);
  request.filters = filters_;
}

// What may stand behind the row of +I, +U and +R: with +U the values for the row that is there.
bool Parser::parse_updates(Tokens& tokens, Request& request) {
  if (!tokens.more()) return true;
  const std::string_view first = tokens.next();
  // Some clients end every line with a TAB.
  if (first.empty() && !tokens.more()) return true;
  if (request.on_duplicate != OnDuplicate::kUpdate) {
    fail(request, ErrorStage::kContents, ErrorCode::kValueCount);
    return true;
  }
  const Number count = parse_number(first);
  if (count.state == Number::State::kTooLarge || count.value > kMaxRequestValues) {
    fail(request, ErrorStage::kCounts, ErrorCode::kValueCount);
    return false;
  }
  if (!count.ok()) fail(request, ErrorStage::kContents, ErrorCode::kNumber);
  request.updates.emplace();
  if (!parse_values(count.value, tokens, request)) return false;
  if (tokens.more() && (!tokens.next().empty() || tokens.more())) {
    fail(request, ErrorStage::kContents, ErrorCode::kValueCount);
  }
  return true;
}

// This and the following functions return false when the request has more values than one may have.
// Reading on is pointless then.
bool Parser::parse_options(Tokens& tokens, Request& request, Range& in) {
  if (!tokens.more()) return true;
  const uint32_t limit = number_or_fail(tokens.next(), ErrorStage::kContents, request);
  request.limit = std::max(1u, limit);
  request.offset = number_or_fail(tokens.next(), ErrorStage::kContents, request);

  // Behind the last token `option` is empty. Then nothing below applies, as for an empty token.
  std::string_view option = tokens.next();
  // Behind a row only what the original knows is looked at.
  const bool takes_all = is(option, '&') && request.verb != Verb::kInsert;
  if (option.starts_with('@') || takes_all) {
    if (!parse_in(tokens, request, in)) return false;
    request.in->takes_all = takes_all;
    option = tokens.next();
  }
  while (option.starts_with('F') || option.starts_with('W')) {
    if (!parse_filter(option, tokens, request)) return false;
    option = tokens.next();
  }
  if (option.empty() || request.verb == Verb::kInsert) return true;
  if (is(option, 'C')) {
    parse_count(limit, tokens, request);
    return true;
  }
  return parse_modification(option, tokens, request);
}

bool Parser::parse_in(Tokens& tokens, Request& request, Range& in) {
  request.in.emplace();
  request.in->key_part = number_or_fail(tokens.next(), ErrorStage::kContents, request);
  const Number count = parse_number(tokens.next());
  if (count.state == Number::State::kTooLarge || count.value > kMaxRequestValues) {
    fail(request, ErrorStage::kCounts, ErrorCode::kValueCount);
    return false;
  }
  if (count.value == 0) fail(request, ErrorStage::kCounts, ErrorCode::kInCount);
  in.begin = values_.size();
  if (!parse_values(count.value, tokens, request)) return false;
  in.end = values_.size();
  return true;
}

bool Parser::parse_filter(std::string_view type, Tokens& tokens, Request& request) {
  if (!has_room(request)) return false;
  Filter& filter = filters_.emplace_back();
  filter.stops = type[0] == 'W';
  filter.type_ok = type.size() == 1;
  if (!filter.type_ok) fail(request, ErrorStage::kFilters, ErrorCode::kFilterType);
  filter.op = filter_operator(next_or_fail(tokens, request));
  if (!filter.op) fail(request, ErrorStage::kContents, ErrorCode::kOperator);
  filter.column = number_or_fail(next_or_fail(tokens, request), ErrorStage::kContents, request);
  filter.value = parse_value(next_or_fail(tokens, request), request);
  return true;
}

void Parser::parse_count(uint32_t limit, Tokens& tokens, Request& request) {
  request.verb = Verb::kCount;
  request.limit = limit;
  // Some clients end every line with a TAB.
  if (!tokens.next().empty() || tokens.more()) {
    fail(request, ErrorStage::kContents, ErrorCode::kValueCount);
  }
}

bool Parser::parse_modification(std::string_view token, Tokens& tokens, Request& request) {
  request.verb = Verb::kModify;
  const std::optional<Modification> known = modification(token[0]);
  if (!known) {
    fail(request, ErrorStage::kModification, ErrorCode::kModifyOperator);
    return true;
  }
  request.modification = *known;
  request.return_old = token.size() > 1 && token[1] == '?';
  // Of a row that was deleted nothing is there afterwards.
  request.return_new = token.size() > 1 && token[1] == '!' && *known != Modification::kDelete;
  if (*known == Modification::kDelete) return true;
  while (tokens.more()) {
    if (!has_room(request)) return false;
    const Value value = parse_value(tokens.next(), request);
    // Some clients end every line with a TAB.
    request.last_is_optional = !value.is_null() && value.size == 0;
    values_.push_back(value);
  }
  return true;
}

// `count` is only how many values to look for: memory is taken for the values that are there.
bool Parser::parse_values(uint32_t count, Tokens& tokens, Request& request) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!tokens.more()) {
      fail(request, ErrorStage::kContents, ErrorCode::kMissingValue);
      return true;
    }
    if (!has_room(request)) return false;
    values_.push_back(parse_value(tokens.next(), request));
  }
  return true;
}

bool Parser::has_room(Request& request) const {
  if (values_.size() + filters_.size() < kMaxRequestValues) return true;
  fail(request, ErrorStage::kCounts, ErrorCode::kValueCount);
  return false;
}

Value Parser::parse_value(std::string_view token, Request& request) {
  return is_null_token(token) ? Value::null() : decode(token, request);
}

Value Parser::decode(std::string_view token, Request& request) {
  if (!line_has_escapes_ || token.find(kEscape) == std::string_view::npos) {
    return Value::of(token);
  }
  // The first value with an escape makes room for all that may follow, since decoded_ must not move
  // afterwards.
  if (decoded_size_ == 0) {
    const auto room = static_cast<size_t>(line_end_ - token.data());
    if (decoded_capacity_ < room) {
      decoded_ = std::make_unique_for_overwrite<char[]>(room);
      decoded_capacity_ = room;
    }
  }
  char* const out = decoded_.get() + decoded_size_;
  const std::optional<size_t> size = unescape(token, out);
  if (!size) {
    // It may be a secret. What it was decoded to is no longer than the token.
    ::explicit_bzero(out, token.size());
    fail(request, ErrorStage::kContents, ErrorCode::kEscape);
    return Value::of({});
  }
  decoded_size_ += *size;
  return Value::of({out, *size});
}

std::span<const Value> Parser::view(Range range) const {
  return std::span(values_).subspan(range.begin, range.end - range.begin);
}

}  // namespace hs::protocol::handlersocket
