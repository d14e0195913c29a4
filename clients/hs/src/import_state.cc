#include "import_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace hs::tool {
namespace {

using nlohmann::json;

json of_spot(const Spot& spot) { return {{"offset", spot.offset}, {"line", spot.line}}; }

Spot to_spot(const json& value) {
  return {value.at("offset").get<uint64_t>(), value.at("line").get<uint64_t>()};
}

// Behind this the file, or the folder with its names, outlives a loss of power. False: errno tells why.
bool is_on_disk(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL; }

bool write_file(const std::string& path, const std::string& text) {
  FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                          std::fflush(file) == 0 && is_on_disk(::fileno(file));
  const int reason = errno;
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written) errno = reason;
  return is_written && is_closed;
}

bool rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return false;
  const std::string folder = std::filesystem::path(to).parent_path();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES;  // a folder that one may write, but not read
  const bool is_kept = is_on_disk(descriptor);
  (void)::close(descriptor);
  return is_kept;
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
  const std::string text = value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  if (!write_file(fresh, text) || !rename_file(fresh, path)) {
    const int reason = errno;
    (void)::unlink(fresh.c_str());
    throw FileError(fmt::format("{}: {}", path, std::strerror(reason)));
  }
}

void remove_state(const std::string& path) { (void)::unlink(path.c_str()); }

}  // namespace hs::tool
