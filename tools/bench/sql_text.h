// The statements of a workload, and the check of their results. Needs no client library.
#ifndef HS_TOOLS_BENCH_SQL_TEXT_H_
#define HS_TOOLS_BENCH_SQL_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload.h"

namespace hs::bench {

// A value of a statement: a number, or a text that needs no escapes.
struct SqlParameter {
  bool is_text = false;
  uint32_t number = 0;
  std::string text;
};

// The statement of requests of this kind, with a ? for each parameter. A kTransaction has none of its
// own: see Workload::parts().
std::string statement(const Workload& workload, Kind kind);

// The parameters for a request, in the order of the statement. Reuses the vector's elements and the
// memory of their texts.
void set_parameters(const Workload& workload, const Request& request,
                    std::vector<SqlParameter>* parameters);

// Appends the statement with its parameters in place.
void append_with_parameters(std::string_view statement, const std::vector<SqlParameter>& parameters,
                            std::string* text);

// Collects the rows that came for a request and compares them with the right ones. SQL promises an
// order only for a kRange, and returns a row once when a kIn has its key twice. Of a kCount the first
// column of the only row is the number.
class SqlAnswer {
 public:
  // The workload must outlive the object.
  explicit SqlAnswer(const Workload& workload) : workload_(workload) {}

  void begin(const Request& request);
  void add_row(std::string_view name, std::string_view email, std::string_view created);

  // After the last row. False: *error says what is wrong.
  bool is_right(std::string* error);
  uint64_t rows() const { return keys_.size(); }

 private:
  const Workload& workload_;
  Request request_;
  std::vector<uint32_t> expected_;
  std::vector<uint32_t> keys_;
  std::string wrong_;  // the first row that is wrong
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_SQL_TEXT_H_
