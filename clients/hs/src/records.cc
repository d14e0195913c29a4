#include "records.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "csv.h"
#include "tsv.h"

namespace hs::tool {
namespace {

constexpr size_t most_bytes = size_t{256}
                              << 20;  // of a record: more than a reply or request may have

}  // namespace

Format file_format(const std::string& path, const std::string& asked) {
  const size_t dot = path.rfind('.');
  const std::string name = !asked.empty()             ? asked
                           : dot != std::string::npos ? path.substr(dot + 1)
                                                      : "";
  const auto format = format_of(name);
  if (format == Format::csv || format == Format::tsv || format == Format::jsonl) return *format;
  throw UsageError("--format csv, tsv or jsonl, or a file whose name ends so");
}

Records::Records(const std::string& path, Format format)
    : name_(path == "-" ? "standard input" : path), format_(format) {
  file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"));
  struct stat status = {};
  if (!file_ || ::fstat(::fileno(file_.get()), &status) != 0) {
    throw FileError(fmt::format("{}: {}", name_, std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) throw FileError(name_ + ": it is a folder");
  if (S_ISREG(status.st_mode)) size_ = static_cast<uint64_t>(status.st_size);
}

void Records::go_to(const Spot& spot) {
  if (spot.offset > size_ ||
      ::fseeko(file_.get(), static_cast<off_t>(spot.offset), SEEK_SET) != 0) {
    throw FileError(fmt::format("{}: it has no byte {}; is it another file?", name_, spot.offset));
  }
  spot_ = spot;
}

bool Records::read_line() {
  char* line = line_.release();
  errno = 0;
  const ssize_t length = ::getline(&line, &capacity_, file_.get());
  line_.reset(line);
  if (length < 0 && std::ferror(file_.get()) != 0) {
    throw FileError(fmt::format("{}: {}", name_, std::strerror(errno)));
  }
  length_ = length > 0 ? static_cast<size_t>(length) : 0;
  return length_ > 0;
}

bool Records::next(std::string& record) {
  record.clear();
  CsvEnd end;
  const Spot begin = spot_;
  while (read_line()) {
    record.append(line_.get(), length_);
    spot_.offset += length_;
    spot_.line++;
    if (format_ != Format::csv || end.ends({line_.get(), length_})) return true;
    if (record.size() > most_bytes) {
      throw FileError(
          fmt::format("{}, line {}: a record of more than {} bytes: is a quote not closed?", name_,
                      begin.line, most_bytes));
    }
  }
  return !record.empty();
}

std::string_view without_end(std::string_view record) {
  if (!record.empty() && record.back() == '\n') record.remove_suffix(1);
  if (!record.empty() && record.back() == '\r') record.remove_suffix(1);
  return record;
}

Row parse_record(Format format, std::string_view record) {
  return format == Format::csv ? parse_csv(record) : parse_tsv(record);
}

}  // namespace hs::tool
