#include "outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "words.h"

namespace hs::tool {

Status tell(const Common& common, const std::string& sentence, const Rows& outcome, bool changed) {
  Session::write(common.format.empty() ? sentence + "\n" : as_text(Session::look(common), outcome));
  return changed ? done : nothing;
}

CLI::Option* add_returning(CLI::App& app, const std::vector<std::string>& kinds) {
  const std::string help = "Print the rows: " + CLI::detail::join(kinds, " or ");
  return app.add_option("-r,--returning", help)
      ->check(CLI::IsMember(kinds).description(""))
      ->type_name("WHEN");
}

std::string returning_mark(const CLI::Option* option) {
  const std::string when = text(option);
  return when.empty() ? "" : when == "before" ? "?" : "!";
}

Fields fields_of(const std::vector<std::string>& words, const std::vector<std::string>& nulls,
                 bool escapes) {
  Fields fields;
  for (const std::string& word : words) {
    auto field = field_of(word, escapes);
    if (!field) throw UsageError(fmt::format("{} is not COLUMN=VALUE", word));
    fields.push_back(std::move(*field));
  }
  for (const std::string& column : nulls) fields.push_back({column, std::nullopt});
  for (const Field& field : fields) {
    const auto same = [&](const Field& other) { return other.column == field.column; };
    if (std::count_if(fields.begin(), fields.end(), same) > 1) {
      throw UsageError(fmt::format("{} stands twice", field.column));
    }
  }
  if (fields.empty()) throw UsageError("COLUMN=VALUE is missing");
  return fields;
}

}  // namespace hs::tool
