// export: rows of a table into a file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "records.h"
#include "words.h"

namespace hs::tool {
namespace {

constexpr size_t write_bytes = size_t{1} << 20;

// The file that grows, or the standard output.
class Output {
 public:
  Output(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}
  ~Output() {
    if (descriptor_ != STDOUT_FILENO) (void)::close(descriptor_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::string text;  // what is to be written next
  void write() {
    for (size_t at = 0; at < text.size();) {
      const ssize_t size = ::write(descriptor_, text.data() + at, text.size() - at);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) throw FileError(fmt::format("{}: {}", name_, std::strerror(errno)));
      at += static_cast<size_t>(size);
    }
    text.clear();
  }
  void sync() {
    write();
    if (descriptor_ != STDOUT_FILENO && ::fsync(descriptor_) != 0 && errno != EINVAL) {
      throw FileError(fmt::format("{}: {}", name_, std::strerror(errno)));
    }
  }

 private:
  std::string name_;
  int descriptor_;
};

// A column of the index by which an export goes on.
struct KeyPart {
  size_t place;  // among the columns of the file
  std::string type;
  // Whether the value tells one place in the index. NULL may be there many times, a FLOAT has more
  // digits than its text, and a time at night may come twice, when clocks are set back.
  bool tells_place(const Cell& value) const {
    if (!value || type.rfind("float", 0) == 0) return false;
    if (type.rfind("timestamp", 0) != 0 || value->size() < 13) return true;
    const std::string hour = value->substr(11, 2);
    return hour >= "04" && hour <= "21";
  }
};

// How far a file has come that an export has left: up to the last whole row whose key tells a place in
// the index. Its number, its end, and its key; no key: up to the header.
struct Left {
  uint64_t rows = 0, end = 0;
  Row key;
};

Fields named(Format format, const Columns& columns, std::string_view record) {
  if (format == Format::jsonl) return parse_json(record);
  Row row = parse_record(format, record);
  if (row.size() != columns.size()) throw BadRecord("it has other columns");
  Fields fields;
  for (size_t i = 0; i < row.size(); i++) fields.push_back({columns[i].name, std::move(row[i])});
  return fields;
}

// Throws BadRecord where the record is none of an export of these columns.
Row row_of(Format format, const Columns& columns, std::string_view record) {
  Row row;
  for (Field& field : named(format, columns, record)) {
    const bool is_next = row.size() < columns.size() && field.column == columns[row.size()].name;
    if (!is_next) throw BadRecord("it has other columns");
    row.push_back(std::move(field.value));
  }
  if (row.size() != columns.size()) throw BadRecord("it has other columns");
  return row;
}

// Throws UsageError where the file is not of this export.
Left left_in(const std::string& path, Format format, bool has_header, const Columns& columns,
             const std::vector<KeyPart>& key) {
  Left left;
  Records records(path, format);
  std::string record, header;
  if (has_header && format != Format::jsonl) {
    Columns none = columns;
    (void)make_printer({format, true, false}, none, header);
    if (records.next(record) && header.rfind(record, 0) != 0) {  // it may have been cut
      throw UsageError(path + ": its first line is not that of this export");
    }
    if (record == header) left.end = records.spot().offset;
  }
  for (uint64_t number = 1; records.next(record) && records.is_whole(); number++) {
    Row row;
    try {
      row = row_of(format, columns, without_end(record));
    } catch (const BadRecord& error) {
      throw UsageError(fmt::format("{}, row {}: {}", path, number, error.what()));
    }
    const auto tells = [&](const KeyPart& part) { return part.tells_place(row[part.place]); };
    if (!std::all_of(key.begin(), key.end(), tells)) continue;
    left = {number, records.spot().offset, {}};
    for (const KeyPart& part : key) left.key.push_back(std::move(row[part.place]));
  }
  return left;
}

class Export : public Command {
 public:
  void declare(CLI::App& app) override {
    table_ = app.add_option("TABLE", "DATABASE.TABLE")->required();
    path_ = app.add_option("FILE",
                           "A new file of CSV, TSV or JSON lines; - is the standard output [-]");
    index_ = app.add_option("-i,--index", "The index whose order the rows are in [PRIMARY]")
                 ->type_name("NAME");
    columns_ = app.add_option("-c,--columns", "Columns, with commas [all]")->type_name("NAMES");
    where_ = add_list(app, "-w,--where", "Only rows with COLUMN OP VALUE")->type_name("CONDITION");
    app.add_flag("--resume", resume_, "Go on behind the last row of the file, if it is there");
    app.add_flag("--overwrite", overwrite_, "Replace the file, if it is there");
  }

  Status run(Session& session, const Common& common) override {
    if (resume_ && overwrite_) throw UsageError("--resume or --overwrite");
    const Place place = {session.table(text(table_)),
                         text(index_).empty() ? "PRIMARY" : text(index_)};
    const std::string path = text(path_).empty() ? "-" : text(path_);
    const Look look = {file_format(path, common.format), !common.no_header, false,
                       path == "-" && ::isatty(STDOUT_FILENO) == 1};
    const Names names = names_of(text(columns_));
    const Columns columns = session.server().columns(place.table, names);
    std::vector<Filter> filters;
    for (const std::string& word : texts(where_)) {
      filters.push_back(filter_of(word, false, common.escapes));
    }
    Row start = session.server().first_key(place);
    std::vector<KeyPart> key;
    Left left;
    if (resume_) key = key_parts(session.server(), place, columns);
    if (resume_ && path != "-" && ::access(path.c_str(), F_OK) == 0) {
      left = left_in(path, look.format, look.header, columns, key);
    }
    if (!left.key.empty()) start = left.key;
    Output output(path == "-" ? "the output" : path, opened(path, left.end));
    write(session.server(), place, names, columns, filters,
          {look.format, look.header && left.end == 0, false, look.terminal}, start, left, key,
          output);
    return done;
  }

 private:
  static std::vector<KeyPart> key_parts(Server& server, const Place& place,
                                        const Columns& columns) {
    std::vector<KeyPart> key;
    const Rows described = server.describe(place.table);
    for (const IndexPart& part : server.index_parts(place)) {
      const auto is_it = [&](const Column& column) { return column.name == part.column; };
      const auto found = std::find_if(columns.begin(), columns.end(), is_it);
      if (!part.unique || !part.whole || found == columns.end()) {
        throw UsageError("--resume needs a unique index whose columns are all in the file");
      }
      key.push_back({static_cast<size_t>(found - columns.begin()), ""});
      for (const Row& row : described.rows) {
        if (row.at(0) == part.column) key.back().type = row.at(1).value_or("");
      }
    }
    return key;
  }

  int opened(const std::string& path, uint64_t end) const {
    if (path == "-") return STDOUT_FILENO;
    const int mode = overwrite_ ? O_TRUNC : resume_ ? 0 : O_EXCL;
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0666);
    if (descriptor < 0 && errno == EEXIST) {
      throw UsageError(path + " is there already: --resume or --overwrite");
    }
    const bool good = descriptor >= 0 &&
                      (!resume_ || ::ftruncate(descriptor, static_cast<off_t>(end)) == 0) &&
                      (!resume_ || ::lseek(descriptor, 0, SEEK_END) >= 0);
    if (!good) throw FileError(fmt::format("{}: {}", path, std::strerror(errno)));
    return descriptor;
  }

  // The row that the file ends with is not written again.
  static void write(Server& server, const Place& place, const Names& names, const Columns& columns,
                    const std::vector<Filter>& filters, const Look& look, const Row& start,
                    const Left& left, const std::vector<KeyPart>& key, Output& output) {
    uint64_t rows = left.rows, total = 0;
    if (Progress::is_shown())
      total = rows + server.count(place, {">=", start, 0, 0, "", {}, false, filters});
    Progress progress(total);
    const auto printer = make_printer(look, columns, output.text);
    server.scan(place, names, start, filters, [&](const Row& row) {
      bool is_last = !left.key.empty();
      for (size_t i = 0; is_last && i < key.size(); i++) {
        is_last = row[key[i].place] == left.key[i];
      }
      if (is_last) return;
      throw_if_interrupted();
      printer->row(row);
      rows++;
      if (output.text.size() >= write_bytes) output.write();
      progress.show(rows, rows);
    });
    output.sync();
    progress.clear();
    std::cerr << fmt::format("hs: {} rows exported in {:.1f} s\n", rows, progress.seconds());
  }

  CLI::Option *table_ = nullptr, *path_ = nullptr, *index_ = nullptr, *columns_ = nullptr;
  CLI::Option* where_ = nullptr;
  bool resume_ = false, overwrite_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace hs::tool
