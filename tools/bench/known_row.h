// What the rows of the table must contain.
//
// Each id has the values that ./run puts into test.user, and that an insert writes. An update sets
// user_email to another value, which still shows the row that it belongs to.
#ifndef HS_TOOLS_BENCH_KNOWN_ROW_H_
#define HS_TOOLS_BENCH_KNOWN_ROW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hs::bench {

// Removes the text from the front of `from`, if it is there.
inline bool take(std::string_view text, std::string_view* from) {
  if (!from->starts_with(text)) return false;
  from->remove_prefix(text.size());
  return true;
}

void append_number(uint64_t number, std::string* output);

// The form of user_email.
struct EmailForm {
  uint32_t size = 0;            // a shorter one is padded to this many bytes
  bool may_be_updated = false;  // a value that an update writes is right, too
};

// The columns user_name, user_email and created of the row with this key. Views live as long as
// the object.
class KnownRow {
 public:
  static constexpr std::string_view kColumns = "user_name,user_email,created";

  explicit KnownRow(uint32_t key, EmailForm form = {});
  KnownRow(const KnownRow&) = delete;
  KnownRow& operator=(const KnownRow&) = delete;

  // The key of the row with this user_name.
  static std::optional<uint32_t> key_of(std::string_view name);

  std::string_view name() const { return name_; }
  std::string_view email() const { return email_; }  // without padding
  std::string_view created() const { return "2010-02-03 11:22:33"; }

  // Appends user_email as it is at first, or as the update of this number writes it.
  void append_email(std::string* output) const;
  void append_updated_email(uint64_t update, std::string* output) const;

  // Whether these are the columns of this row.
  bool matches(std::string_view name, std::string_view email, std::string_view created) const;

  // Removes the columns, with TABs between them, from the front of the text. False: they are not
  // there.
  bool take_from(std::string_view* text) const;

 private:
  static constexpr uint32_t kSampleKey = 101;
  static constexpr std::string_view kSampleName = "Yukari Takeba";

  bool is_email(std::string_view text) const;
  bool is_updated_email(std::string_view text) const;
  bool is_padding(std::string_view rest, size_t total) const;
  void pad(size_t begin, std::string* output) const;

  uint32_t key_;
  EmailForm form_;
  std::array<char, 32> name_text_;
  std::array<char, 32> email_text_;
  std::string_view name_;
  std::string_view email_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_KNOWN_ROW_H_
