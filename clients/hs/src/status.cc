#include "status.h"

#include <fmt/format.h>

#include <handlersocket2.hpp>
#include <string_view>

#include "rows.h"

namespace hs::tool {
namespace {

// What is said behind the server's word, which is short. All of them are in docs/errors.md.
std::string_view meaning(std::string_view word) {
  struct Hint {
    std::string_view word, text;
  };
  constexpr Hint hints[] = {
      {"121", "there is such a key already"},
      {"open_table", "there is no such table, or it cannot be used"},
      {"idxnum", "there is no such index; --index names another"},
      {"fld", "there is no such column"},
      {"kpnum", "the key has more values than the index has columns"},
      {"readonly", "this is the read port; changes need the write port"},
      {"unauth", "the port asks for an account or a secret, or it is another one"},
      {"authtype", "the port does not ask for an account, or not for this kind of login"},
      {"146", "the row is locked by others"},
      {"149", "a deadlock; try again"},
      {"filterblob", "TEXT and BLOB columns can only be compared with NULL"},
      {"cmd", "this is no HandlerSocket 2, or an old one"},
      {"number", "this is no integer"},
  };
  for (const Hint& hint : hints) {
    if (hint.word == word) return hint.text;
  }
  return {};
}

std::string told(const Error& error) {
  return fmt::format("{}: {}", error.name(), explained(error.what()));
}

}  // namespace

std::string explained(const std::string& text) {
  const std::string_view hint = meaning(text);
  return hint.empty() ? text : fmt::format("{}: {}", text, hint);
}

Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {wrong_use, error.what()};
  } catch (const FileError& error) {
    return {no_file, error.what()};
  } catch (const SqlError& error) {
    return {error.is_connection ? no_answer : refused, error.what()};
  } catch (const ConfigurationError& error) {
    return {wrong_use, error.what()};
  } catch (const ValueError& error) {
    return {wrong_use, error.what()};
  } catch (const ConnectionError& error) {
    return {no_answer, fmt::format("{}{}", told(error),
                                   error.sent() ? "; the request may have been carried out" : "")};
  } catch (const Error& error) {
    return {refused, told(error)};
  }
}

}  // namespace hs::tool
