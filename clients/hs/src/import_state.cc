#include "import_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace hs::tool {
namespace {

using nlohmann::json;

json of_spot(const Spot& spot) { return {{"offset", spot.offset}, {"line", spot.line}}; }

Spot to_spot(const json& value) {
  return {value.at("offset").get<uint64_t>(), value.at("line").get<uint64_t>()};
}

}  // namespace

std::optional<ImportState> read_state(const std::string& path) {
  std::ifstream file(path);
  if (!file && errno == ENOENT) return std::nullopt;
  try {
    const json value = json::parse(file);
    return ImportState{value.at("table"),
                       value.at("file"),
                       to_spot(value.at("done")),
                       to_spot(value.at("sent")),
                       value.at("rows").get<uint64_t>(),
                       value.at("bad").get<uint64_t>(),
                       value.value("before", "")};
  } catch (const json::exception&) {
    throw FileError(path + ": it is no state of an import");
  }
}

void write_state(const std::string& path, const ImportState& state) {
  const json value = {{"table", state.table},        {"file", state.file},
                      {"done", of_spot(state.done)}, {"sent", of_spot(state.sent)},
                      {"rows", state.rows},          {"bad", state.bad},
                      {"before", state.before}};
  const std::string fresh = path + ".new";
  std::ofstream file(fresh, std::ios::trunc);
  file << value.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    (void)::unlink(fresh.c_str());
    throw FileError(fmt::format("{}: {}", path, std::strerror(reason)));
  }
}

void remove_state(const std::string& path) { (void)::unlink(path.c_str()); }

}  // namespace hs::tool
