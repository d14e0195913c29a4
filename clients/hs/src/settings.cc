#include "settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "option_file.h"
#include "rows.h"

namespace hs::tool {
namespace {

constexpr std::array known = {
    "host",     "port",     "write_port", "socket",           "write_socket", "database",
    "user",     "password", "secret",     "write_secret",     "tls",          "tls_ca",
    "tls_cert", "tls_key",  "tls_name",   "connect_timeout",  "timeout",      "pool_size",
    "max_idle", "name",     "replicas",   "read_your_writes", "gtid_timeout", "retries"};

// What [client] says of the server for all of its programs.
const std::map<std::string, std::string> shared = {
    {"host", "host"},     {"user", "user"},         {"password", "password"},
    {"ssl_ca", "tls_ca"}, {"ssl_cert", "tls_cert"}, {"ssl_key", "tls_key"}};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = high >= 0 ? digit(text[i + 2]) : -1;
    if (low < 0 || high * 16 + low == 0) throw UsageError("the URL has a wrong percent encoding");
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::string encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result +=
        std::isalnum(byte) != 0 && byte < 0x80 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

void add(Options& options, const std::string& name, const std::string& value) {
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw UsageError(fmt::format("option {} is unknown", name));
  }
  if (!options.emplace(name, value).second) {
    throw UsageError(fmt::format("option {} is given twice", name));
  }
}

void add_place(Options& options, std::string place) {
  const size_t at = place.rfind('@');
  if (at != std::string::npos) {
    const std::string login = place.substr(0, at);
    const size_t colon = login.find(':');
    if (colon != std::string::npos) add(options, "password", decoded(login.substr(colon + 1)));
    if (colon != 0 && at != 0) add(options, "user", decoded(login.substr(0, colon)));
    place.erase(0, at + 1);
  }
  size_t end = 0;
  std::string host;
  if (!place.empty() && place.front() == '[') {
    end = place.find(']');
    if (end == std::string::npos) throw UsageError("the URL's host has no ] at its end");
    host = place.substr(1, end++ - 1);
  } else {
    end = std::min(place.find(':'), place.size());
    host = decoded(place.substr(0, end));
  }
  if (!host.empty()) add(options, "host", host);
  if (end < place.size()) {
    if (place[end] != ':') throw UsageError("the URL's host is no address");
    add(options, "port", place.substr(end + 1));
  }
}

// Of one file; what was read later wins.
void merge(Settings& settings, const std::string& path, Rules rules, bool must_exist,
           const std::string& suffix) {
  const auto is_group = [&suffix](const FileOption& option, std::string_view name) {
    return option.group == name || option.group == fmt::format("{}{}", name, suffix);
  };
  for (const FileOption& option : read_option_file(path, rules, must_exist)) {
    if (is_group(option, "hs")) {
      if (std::find(known.begin(), known.end(), option.name) == known.end()) {
        throw UsageError(fmt::format("{}: option {} is unknown", option.place, option.name));
      }
      settings.options[option.name] = option.value;
    } else if (rules == Rules::server &&
               (is_group(option, "client") || is_group(option, "client-server") ||
                is_group(option, "client-mariadb"))) {
      settings.sql[option.name] = option.value;
      const auto ours = shared.find(option.name);
      if (ours == shared.end()) continue;
      settings.options.erase(ours->second);  // for an empty one, which is as none there
      if (!option.value.empty()) settings.options[ours->second] = option.value;
    }
  }
}

void read_files(Settings& settings, const Files& files) {
  if (files.no_defaults) return;
  const std::string& suffix = files.group_suffix;
  const std::string home = environment("HOME");
  if (!files.defaults_file.empty()) {
    merge(settings, files.defaults_file, Rules::server, true, suffix);
    return;
  }
  for (const char* path : {"/etc/my.cnf", "/etc/mysql/my.cnf"}) {
    merge(settings, path, Rules::server, false, suffix);
  }
  if (!files.extra_file.empty()) merge(settings, files.extra_file, Rules::server, true, suffix);
  if (!home.empty()) merge(settings, home + "/.my.cnf", Rules::server, false, suffix);
  const std::string named = environment("HS_OPTION_FILE");
  if (!named.empty() || !home.empty()) {
    merge(settings, named.empty() ? home + "/.hs.cnf" : named, Rules::client, !named.empty(),
          suffix);
  }
}

// A place that is named takes away that of a weaker source.
void take(Settings& settings, const Options& stronger) {
  if (stronger.count("host") + stronger.count("port") > 0) {
    settings.options.erase("socket");
    settings.options.erase("write_socket");
  }
  for (const auto& [name, value] : stronger) settings.options[name] = value;
}

}  // namespace

Options parse_url(const std::string& url) {
  Options options;
  const size_t mark = url.find('?');
  const bool is_socket = url.rfind("hs+unix://", 0) == 0;
  if (!is_socket && url.rfind("hs://", 0) != 0) {
    throw UsageError("the URL begins with neither hs:// nor hs+unix://");
  }
  const std::string place = url.substr(0, mark).substr(is_socket ? 10 : 5);
  const size_t slash = std::min(place.find('/'), place.size());
  if (is_socket && slash == place.size()) throw UsageError("the URL's socket has no absolute path");
  add_place(options, place.substr(0, slash));
  if (is_socket) {
    add(options, "socket", decoded(place.substr(slash)));
  } else if (slash + 1 < place.size()) {
    add(options, "database", decoded(place.substr(slash + 1)));
  }
  for (size_t at = mark; at < url.size();) {
    const size_t end = std::min(url.find('&', ++at), url.size());
    const std::string part = url.substr(at, end - at);
    const size_t equals = part.find('=');
    if (equals == std::string::npos && !part.empty()) {
      throw UsageError(fmt::format("option {} has no value", part));
    }
    if (!part.empty())
      add(options, decoded(part.substr(0, equals)), decoded(part.substr(equals + 1)));
    at = end;
  }
  return options;
}

Settings settings_of(const Options& command_line, const Files& files) {
  Settings settings;
  read_files(settings, files);
  for (const auto& [variable, name] :
       {std::pair("HS_PASSWORD", "password"), {"HS_SECRET", "secret"}}) {
    if (!environment(variable).empty()) settings.options[name] = environment(variable);
  }
  Options named = command_line;
  const auto given = named.extract("url");
  const std::string url = given.empty() ? environment("HS_URL") : given.mapped();
  if (!url.empty()) {
    // A URL names the whole place: what it leaves out is the default, not what a file has for another.
    for (const char* name : {"host", "port", "write_port", "socket", "write_socket"}) {
      settings.options.erase(name);
    }
    take(settings, parse_url(url));
  }
  take(settings, named);
  return settings;
}

std::string url_of(const Options& options) {
  const auto socket = options.find("socket");
  const bool is_socket = socket != options.end();
  if (is_socket && socket->second.rfind('/', 0) != 0) {
    throw UsageError("the socket's path is not absolute");
  }
  std::string url = is_socket ? "hs+unix:///" + encoded(socket->second.substr(1)) : "hs://";
  const auto at = options.find("host");
  const bool has_host = !is_socket && at != options.end() && !at->second.empty();
  if (has_host) {
    const std::string& host = at->second;
    const bool is_v6 = host.find(':') != std::string::npos;
    url += is_v6 ? "[" + host + "]" : encoded(host);
  }
  char separator = '?';
  for (const auto& [name, value] : options) {
    if (name == "socket" || (is_socket && name == "port")) continue;
    if (name == "host" && (is_socket || has_host)) continue;
    url += separator + name + "=" + encoded(value);
    separator = '&';
  }
  return url;
}

}  // namespace hs::tool
