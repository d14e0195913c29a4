#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <handlersocket2.hpp>
#include <string_view>

#include "full_name.h"
#include "screen.h"
#include "words.h"

namespace hs::tool {
namespace {

std::string asked_password() {
  const char* password = ::isatty(STDIN_FILENO) == 1 ? ::getpass("Password: ") : nullptr;
  if (password == nullptr) throw UsageError("there is no terminal to ask for the password on");
  return password;
}

}  // namespace

Names names_of(const std::string& list) {
  Names names;
  for (size_t at = 0; !list.empty() && at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    if (names.back().empty()) throw UsageError("--columns has an empty name");
    at = end + 1;
  }
  return names;
}

Session::Session(const Common& common) : settings_(settings_of(common.options, common.files)) {
  if (common.ask_password) {
    if (settings_.options.count("user") == 0) throw UsageError("--ask-password needs --user");
    settings_.options["password"] = asked_password();
  }
  settings_.options.emplace("name", "hs/" HS_VERSION);
  // An account's name makes a password good; without it there is no login.
  if (settings_.options.count("user") == 0) settings_.options.erase("password");
}

void Session::take_input() const {
  if (keeps_input_) throw UsageError("the standard input is the script: name a file, or words");
}

Server& Session::server() {
  (void)::setenv("HS_OPTION_FILE", "/dev/null", 1);  // the client need not read it again
  if (!server_) server_ = std::make_unique<Server>(url_of(settings_.options));
  return *server_;
}

std::string Session::table(const std::string& name) const {
  FullName full = full_name_of(name);
  if (!full.database.empty()) return name;
  const auto database = settings_.options.find("database");
  if (database == settings_.options.end()) {
    throw UsageError(fmt::format("{} needs its database: DATABASE.TABLE, or --database", name));
  }
  full.database = database->second;
  return text_of(full);
}

Look Session::look(const Common& common) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  Look look;
  look.format = common.format.empty() ? (terminal ? Format::table : Format::tsv)
                                      : format_of(common.format).value();
  look.header = !common.no_header;
  look.colour = wants_colour(STDOUT_FILENO);
  look.terminal = terminal;
  return look;
}

void Session::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw FileError(std::string("the output: ") + std::strerror(errno));
  }
}

Status Session::print(const Common& common, const Rows& rows) {
  write(as_text(look(common), rows));
  return rows.rows.empty() ? nothing : done;
}

}  // namespace hs::tool
