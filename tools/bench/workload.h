// What is asked for, in which order, and what the answer must be: the same for every target.
//
// The table is test.user of ./run: the ids 1 to `rows`, each with the values that KnownRow makes.
#ifndef HS_TOOLS_BENCH_WORKLOAD_H_
#define HS_TOOLS_BENCH_WORKLOAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hs::bench {

// The key of each request of a run. The same seed gives the same keys, to every target and however
// many threads share them. Uniform over 1 … rows, or, but for the share `cold`, over 1 … hot.
class Keys {
 public:
  Keys(uint64_t seed, uint32_t rows) : Keys(seed, rows, rows, 1) {}
  // 1 <= hot <= rows, 0 <= cold <= 1.
  Keys(uint64_t seed, uint32_t rows, uint32_t hot, double cold)
      : seed_(seed), rows_(rows), hot_(hot), cold_(cold) {}

  uint32_t at(uint64_t request) const;

 private:
  uint64_t seed_;
  uint32_t rows_;
  uint32_t hot_;
  double cold_;
};

// The columns user_name, user_email and created of the row with this key. Views live as long as
// the object.
class KnownRow {
 public:
  static constexpr std::string_view kColumns = "user_name,user_email,created";

  explicit KnownRow(uint32_t key);
  KnownRow(const KnownRow&) = delete;
  KnownRow& operator=(const KnownRow&) = delete;

  std::string_view name() const { return name_; }
  std::string_view email() const { return email_; }
  std::string_view created() const { return "2010-02-03 11:22:33"; }

  // Whether this is the answer to a find of exactly this row, without its line end.
  bool is_answer(std::string_view line) const;

 private:
  static constexpr uint32_t kSampleKey = 101;

  std::array<char, 32> name_text_;
  std::array<char, 32> email_text_;
  std::string_view name_;
  std::string_view email_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_WORKLOAD_H_
