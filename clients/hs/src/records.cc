#include "records.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "csv.h"
#include "interrupt.h"
#include "tsv.h"

namespace hs::tool {
namespace {

constexpr size_t read_bytes = size_t{1} << 16;
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
  is_file_ = S_ISREG(status.st_mode);
  if (!is_file_) return;
  size_ = static_cast<uint64_t>(status.st_size);
  // Of the standard input another program may have read the beginning.
  const off_t begin = ::lseek(::fileno(file_.get()), 0, SEEK_CUR);
  if (begin > 0) spot_.offset = static_cast<uint64_t>(begin);
}

void Records::go_to(const Spot& spot) {
  if (spot.offset > size_ ||
      ::lseek(::fileno(file_.get()), static_cast<off_t>(spot.offset), SEEK_SET) < 0) {
    throw FileError(fmt::format("{}: it has no byte {}; is it another file?", name_, spot.offset));
  }
  buffer_.clear();
  at_ = 0;
  ended_ = false;
  spot_ = spot;
}

std::string Records::before(const Spot& spot) const {
  std::string bytes(std::min<uint64_t>(spot.offset, 4096), '\0');
  const auto from = static_cast<off_t>(spot.offset - bytes.size());
  if (::pread(::fileno(file_.get()), bytes.data(), bytes.size(), from) < 0) {
    throw FileError(fmt::format("{}: {}", name_, std::strerror(errno)));
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  std::string text;
  for (unsigned i = 0; i < size; i++) text += fmt::format("{:02x}", digest[i]);
  return text;
}

bool Records::fill() {
  at_ = 0;
  buffer_.clear();
  if (ended_) return false;  // a terminal would begin anew
  buffer_.resize(read_bytes);
  // Not std::fread, which waits until it has as much: a pipe's line is wanted when it is there.
  ssize_t size = 0;
  do {
    throw_if_interrupted();
    size = ::read(::fileno(file_.get()), buffer_.data(), buffer_.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) throw FileError(fmt::format("{}: {}", name_, std::strerror(errno)));
  buffer_.resize(static_cast<size_t>(size));
  ended_ = buffer_.empty();
  return !ended_;
}

// Adds the next line to the record that begins there; false: there is none.
bool Records::read_line(std::string& record, uint64_t first_line) {
  const size_t before = record.size();
  while (at_ < buffer_.size() || fill()) {
    const size_t end = buffer_.find('\n', at_);
    const size_t size = std::min(end, buffer_.size() - 1) + 1 - at_;
    record.append(buffer_, at_, size);
    at_ += size;
    spot_.offset += size;
    if (record.size() > most_bytes) {
      throw FileError(fmt::format("{}, line {}: a record of more than {} bytes{}", name_,
                                  first_line, most_bytes,
                                  format_ == Format::csv ? ": is a quote not closed?" : ""));
    }
    if (end != std::string::npos) break;
  }
  if (record.size() == before) return false;
  spot_.line++;
  return true;
}

bool Records::next(std::string& record) {
  record.clear();
  CsvEnd end;
  const uint64_t line = spot_.line;
  bool ends = false;
  const bool is_first = spot_.offset == 0;
  for (size_t size = 0; !ends && read_line(record, line); size = record.size()) {
    const std::string_view fresh = std::string_view(record).substr(size);
    ends = format_ != Format::csv ||
           end.ends(is_first && size == 0 ? without_byte_order_mark(fresh) : fresh);
  }
  whole_ = ends && record.back() == '\n';
  return !record.empty();
}

bool Records::next_line(std::string& line) {
  const bool more = next(line);
  if (more && line.back() == '\n') line.pop_back();
  return more;
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
