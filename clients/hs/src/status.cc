#include "status.h"

#include <fmt/format.h>

#include <handlersocket2.hpp>
#include <string_view>

#include "interrupt.h"
#include "rows.h"

namespace hs::tool {
namespace {

std::string told(const Error& error) {
  const bool is_index = std::string_view(error.error().text) == "idxnum";
  return fmt::format("{}: {}{}", error.name(), error.what(),
                     is_index ? "; --index names another" : "");
}

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {wrong_use, error.what()};
  } catch (const FileError& error) {
    return {no_file, error.what()};
  } catch (const Interrupted& error) {
    return {interrupted, error.what()};
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
