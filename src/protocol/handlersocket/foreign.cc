#include "protocol/handlersocket/foreign.h"

namespace hs::protocol::handlersocket {
namespace {

// "POST /path HTTP/1.1", whatever the method and the path.
bool is_http_request(std::string_view line) {
  constexpr std::string_view kVersion = " HTTP/";
  if (line.find('\t') != std::string_view::npos) return false;
  const size_t found = line.rfind(kVersion);
  if (found == 0 || found == std::string_view::npos) return false;
  const std::string_view version = line.substr(found + kVersion.size());
  return !version.empty() && version[0] >= '0' && version[0] <= '9';
}

bool is_host_header(std::string_view line) {
  constexpr std::string_view kHost = "host:";
  if (line.size() < kHost.size()) return false;
  for (size_t i = 0; i < kHost.size(); ++i) {
    const char c = line[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kHost[i]) return false;
  }
  return true;
}

}  // namespace

Foreign foreign(std::string_view line) {
  if (is_host_header(line)) return Foreign::kAnywhere;
  return is_http_request(line) ? Foreign::kGreeting : Foreign::kNo;
}

}  // namespace hs::protocol::handlersocket
