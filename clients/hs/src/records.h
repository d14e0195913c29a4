// Files of rows: their records one after the other, with their places.
#ifndef HS_CLIENTS_HS_RECORDS_H_
#define HS_CLIENTS_HS_RECORDS_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "format.h"
#include "rows.h"

namespace hs::tool {

// Where a record begins.
struct Spot {
  uint64_t offset = 0;  // bytes from the beginning of the file
  uint64_t line = 1;
};

// The format that a file's name ends with (.csv, .tsv, .jsonl), or that was asked for: one of these
// three. Throws UsageError.
Format file_format(const std::string& path, const std::string& asked);

class Records {
 public:
  // path: "-" is the standard input. Throws FileError.
  Records(const std::string& path, Format format);

  // Goes on at a spot that spot() has given. Throws FileError where that is not possible.
  void go_to(const Spot& spot);
  // A digest of the last bytes in front of a spot. Throws FileError.
  std::string before(const Spot& spot) const;
  // Reads a record with the LF at its end, which the last one of a file may lack; false at the end. Of
  // CSV it may end in the middle of a quoted value there: is_whole() tells.
  // Throws FileError where it cannot be read, and for a record that is longer than a request may be.
  bool next(std::string& record);
  // Whether the record that was read last has its end.
  bool is_whole() const { return whole_; }
  // The same without the LF.
  bool next_line(std::string& line);
  // Where the record begins that next() reads next.
  const Spot& spot() const { return spot_; }
  // Whether it is a file that go_to() can read again, and its bytes; 0: unknown.
  bool is_file() const { return is_file_; }
  uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }

 private:
  bool read_line(std::string& record, uint64_t first_line);
  bool fill();

  struct Close {
    void operator()(FILE* file) const {
      if (file != stdin) (void)std::fclose(file);  // the prompt goes on reading it
    }
  };
  std::string name_;
  Format format_;
  std::unique_ptr<FILE, Close> file_;
  std::string buffer_;  // what was read of the file, from `at_` on
  size_t at_ = 0;
  Spot spot_;
  uint64_t size_ = 0;
  bool is_file_ = false, whole_ = true, ended_ = false;
};

// The record without its LF or CR LF; a CR in front of the LF of a line of TSV is the line's end, too.
std::string_view without_end(std::string_view record);

// The values of a record of CSV or TSV. Throws BadRecord.
Row parse_record(Format format, std::string_view record);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_RECORDS_H_
