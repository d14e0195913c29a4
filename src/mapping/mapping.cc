#include "mapping/mapping.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mapping/names.h"
#include "mapping/table_comment.h"

namespace hs::mapping {
namespace {

using Position = Mapping::Position;

constexpr uint8_t kBytesOfFlags = 4;
constexpr uint8_t kBytesOfCas = 8;
// Names of columns that a declaration may list.
constexpr size_t kMostColumns = 4096;

Error wrong(std::string what) { return Error{ErrorCode::kTableComment, 0, std::move(what)}; }

bool is_same_list(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), is_same_name);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

bool is_integer_of(const ColumnShape& column, uint8_t bytes) {
  return column.kind == ColumnKind::kInteger && column.bytes >= bytes;
}

class Maker {
 public:
  Maker(const Declaration& declared, const TableShape& table)
      : declared_(declared), table_(table), made_(std::make_shared<Mapping>()) {}

  Result<MappingPtr> make() {
    if (table_.columns.size() > kMostColumns) return wrong("the table has too many columns");
    made_->database = table_.database;
    made_->table = table_.table;
    made_->columns = table_.columns;
    for (size_t at = 0; at < table_.columns.size(); ++at)
      if (table_.columns[at].has_no_default) made_->required.push_back(static_cast<Position>(at));
    made_->definition = table_.definition;
    made_->tells_duplicates = table_.tells_duplicates;
    for (auto step :
         {&Maker::take_separators, &Maker::take_name, &Maker::take_key, &Maker::take_score,
          &Maker::take_flags, &Maker::take_cas, &Maker::take_ttl, &Maker::take_values})
      if (Result<void> done = (this->*step)(); !done) return std::move(done.error());
    return MappingPtr(std::move(made_));
  }

 private:
  Result<void> take_separators() {
    for (auto [text, character] :
         {std::pair{&declared_.separator, &made_->separator},
          std::pair{&declared_.value_separator, &made_->value_separator}}) {
      if (text->empty()) continue;
      if (text->size() != 1 || !is_separator((*text)[0]))
        return wrong("sep=" + *text + " is not one of the characters that may separate");
      *character = (*text)[0];
    }
    return {};
  }

  Result<void> take_name() {
    if (declared_.name.empty()) {
      made_->name = table_.database + '.' + table_.table;
    } else if (is_plain(declared_.name)) {
      made_->name = declared_.name;
    } else {
      return wrong("name=" + declared_.name + " has other characters than letters, digits, _ - $");
    }
    made_->prefix = made_->name + made_->separator;
    return {};
  }

  Result<void> take_key() {
    const IndexShape* const index = find_index();
    if (index == nullptr) return wrong(no_index());
    made_->index = index->name;
    made_->key_begins_descending = index->begins_descending;
    made_->is_ordered = index->ascending_from < index->columns.size();
    made_->has_other_unique =
        std::any_of(table_.indexes.begin(), table_.indexes.end(),
                    [index](const IndexShape& one) { return one.is_unique && &one != index; });
    for (const std::string& column : index->columns) {
      const std::optional<Position> at = made_->find(column);
      if (!at) return wrong("the index " + index->name + " has a column that clients do not see");
      made_->key.push_back(*at);
    }
    return {};
  }

  // An index that gives the rows of a group a score.
  std::optional<Position> score_of(const IndexShape& index) const {
    const size_t columns = made_->key.size() + 1;
    if (!index.is_whole || index.columns.size() != columns) return std::nullopt;
    std::vector<Position> of_index;
    for (const std::string& column : index.columns) {
      const std::optional<Position> at = made_->find(column);
      if (!at) return std::nullopt;
      of_index.push_back(*at);
    }
    const Position score = of_index[columns - 2];
    of_index.erase(of_index.end() - 2);
    const ColumnShape& column = made_->columns[score];
    const bool is_number = column.kind == ColumnKind::kInteger ||
                           column.kind == ColumnKind::kDecimal || column.kind == ColumnKind::kReal;
    if (of_index != made_->key || !is_number || column.is_nullable) return std::nullopt;
    return score;
  }

  Result<void> take_score() {
    size_t found = 0;
    for (const IndexShape& index : table_.indexes) {
      const std::optional<Position> score = score_of(index);
      if (!score) continue;
      ++found;
      made_->score = score;
      made_->score_index = index.name;
      made_->is_ordered = index.ascending_from + 2 <= index.columns.size();
    }
    if (found > 1) {
      made_->score.reset();
      made_->is_ordered = false;
    }
    return {};
  }

  const IndexShape* find_index() const {
    const auto is_meant = [this](const IndexShape& index) {
      if (!index.is_unique || !index.is_whole) return false;
      if (!declared_.index.empty() && !is_same_name(index.name, declared_.index)) return false;
      if (!declared_.key.empty()) return is_same_list(index.columns, declared_.key);
      return !declared_.index.empty() || index.name == "PRIMARY";
    };
    const auto found = std::find_if(table_.indexes.begin(), table_.indexes.end(), is_meant);
    return found == table_.indexes.end() ? nullptr : &*found;
  }

  std::string no_index() const {
    if (declared_.key.empty()) return "there is no primary key, and no key=";
    const std::string columns = joined(declared_.key);
    if (declared_.index.empty())
      return "no unique index has just the columns of key=" + columns + " in this order";
    return "the index " + declared_.index + " is not unique on just the columns " + columns;
  }

  Result<void> take_flags() {
    return take("flags", declared_.flags, made_->flags, "no integer column of 32 bits or more",
                [](const ColumnShape& column) { return is_integer_of(column, kBytesOfFlags); });
  }

  Result<void> take_cas() {
    return take("cas", declared_.cas, made_->cas, "no integer column of 64 bits",
                [](const ColumnShape& column) { return is_integer_of(column, kBytesOfCas); });
  }

  Result<void> take_ttl() {
    return take("ttl", declared_.ttl, made_->ttl, "no DATETIME, TIMESTAMP or integer column",
                [](const ColumnShape& column) {
                  return column.kind == ColumnKind::kMoment || is_integer_of(column, 1);
                });
  }

  template <class Suits>
  Result<void> take(const char* word, const std::string& name, std::optional<Position>& to,
                    const char* otherwise, Suits suits) {
    if (name.empty()) return {};
    Result<Position> at = column(word, name);
    if (!at) return std::move(at.error());
    if (!suits(made_->columns[*at]))
      return wrong(std::string(word) + '=' + name + " is " + otherwise);
    to = *at;
    return {};
  }

  Result<Position> column(const char* word, const std::string& name) const {
    const std::optional<Position> at = made_->find(name);
    if (!at) return wrong(std::string(word) + '=' + name + " is no column");
    if (is_used(*at)) return wrong("the column " + name + " is named twice");
    return *at;
  }

  bool is_used(Position at) const {
    const auto has = [at](const std::vector<Position>& all) {
      return std::find(all.begin(), all.end(), at) != all.end();
    };
    return has(made_->key) || has(made_->value) || made_->flags == at || made_->cas == at ||
           made_->ttl == at;
  }

  bool is_value_by_itself(Position at) const {
    const ColumnShape& column = made_->columns[at];
    return !column.is_computed && !column.is_hidden && !is_used(at);
  }

  Result<void> take_values() {
    if (declared_.value.empty()) {
      const auto count = static_cast<Position>(made_->columns.size());
      for (Position at = 0; at < count; ++at)
        if (is_value_by_itself(at)) made_->value.push_back(at);
      return {};
    }
    for (const std::string& name : declared_.value) {
      Result<Position> at = column("value", name);
      if (!at) return std::move(at.error());
      made_->value.push_back(*at);
      made_->has_computed_value |= made_->columns[*at].is_computed;
    }
    return {};
  }

  const Declaration& declared_;
  const TableShape& table_;
  std::shared_ptr<Mapping> made_;
};

// At most `most` parts, of which the last one takes all the rest.
void split(std::string_view text, char separator, size_t most, std::vector<Value>* parts) {
  parts->clear();
  while (parts->size() + 1 < most) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    parts->push_back(Value::of(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  parts->push_back(Value::of(text));
}

}  // namespace

Result<Declaration> parse_comment(std::string_view comment) {
  std::string error;
  const auto parsed = TableComment::parse(comment, &error);
  if (!parsed) return wrong(std::move(error));
  Declaration made;
  made.name = parsed->name;
  made.key = split_names(parsed->key, ",");
  made.value = split_names(parsed->value, ",");
  made.flags = parsed->flags;
  made.cas = parsed->cas;
  made.ttl = parsed->ttl;
  made.separator = parsed->sep;
  return made;
}

std::optional<Position> Mapping::find(std::string_view column) const {
  for (size_t at = 0; at < columns.size(); ++at)
    if (is_same_name(columns[at].name, column)) return static_cast<Position>(at);
  return std::nullopt;
}

bool Mapping::can_upsert(std::span<const Position> written) const {
  return !has_other_unique && tells_duplicates &&
         std::ranges::all_of(required, [&](Position column) {
           return std::ranges::find(written, column) != written.end();
         });
}

Result<MappingPtr> make(const Declaration& declared, const TableShape& table) {
  return Maker(declared, table).make();
}

bool split_key(const Mapping& mapping, std::string_view rest, std::vector<Value>* parts) {
  split(rest, mapping.separator, mapping.key.size(), parts);
  return parts->size() == mapping.key.size();
}

bool split_group(const Mapping& mapping, std::string_view rest, std::vector<Value>* parts) {
  const size_t columns = mapping.key.size() - 1;
  if (columns == 0) {
    parts->clear();
    return rest.empty();
  }
  split(rest, mapping.separator, columns, parts);
  return parts->size() == columns;
}

bool split_value(const Mapping& mapping, std::string_view text, std::vector<Value>* parts) {
  const size_t columns = mapping.value.size();
  split(text, mapping.value_separator, columns == 1 ? 1 : columns + 1, parts);
  return parts->size() == columns;
}

}  // namespace hs::mapping
