#include "query_options.h"

#include <fmt/format.h>

#include "words.h"

namespace hs::tool {

void QueryOptions::declare_place(CLI::App& app, const char* words_name, const char* words_help) {
  table_ = app.add_option("TABLE", "DATABASE.TABLE")->required();
  words_ = add_words(app, words_name, words_help);
  index_ = app.add_option("-i,--index", "The index of the key [PRIMARY]")->type_name("NAME");
}

void QueryOptions::declare_filters(CLI::App& app, const std::string& default_limit) {
  where_ = add_list(app, "-w,--where", "Only rows with COLUMN OP VALUE; OP: = != > >= < <=")
               ->type_name("CONDITION");
  while_ = add_list(app, "--while", "End at the first row without COLUMN OP VALUE")
               ->type_name("CONDITION");
  in_ = add_list(app, "--in", "A value of the key's first column; may stand many times")
            ->type_name("VALUE");
  in_column_ = app.add_option("--in-column", "The column of the index that --in is for")
                   ->type_name("COLUMN");
  app.add_flag("--each", each_, "All rows of each --in, with limit and offset for each");
  app.add_option("-l,--limit", limit_, "Rows at most [" + default_limit + "]")
      ->type_name("N")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX).description(""));
  app.add_option("--offset", offset_, "Rows to skip first [0]")->type_name("N");
}

Place QueryOptions::place(const Session& session) const {
  const std::string index = text(index_);
  return {session.table(text(table_)), index.empty() ? "PRIMARY" : index};
}

void QueryOptions::add_in(Session& session, const Common& common, Query& query) const {
  for (const std::string& word : texts(in_)) query.in.push_back(value_of(word, common.escapes));
  if (query.in.empty()) {
    if (each_ || !text(in_column_).empty()) throw UsageError("--each and --in-column need --in");
    return;
  }
  const auto parts = session.server().index_parts(place(session));
  const std::string column = text(in_column_);
  size_t part = 0;
  while (!column.empty() && part < parts.size() && parts[part].column != column) part++;
  if (part >= parts.size()) throw UsageError(fmt::format("the index has no column {}", column));
  if (part > query.key.size()) {
    throw UsageError("--in needs values for the columns of the index before its own");
  }
  query.in_column = parts[part].column;
  query.key.insert(query.key.begin() + static_cast<std::ptrdiff_t>(part), Cell(""));
  query.in_all = each_;
}

Query QueryOptions::query(Session& session, const Common& common, const std::string& op,
                          const std::vector<std::string>& key, uint32_t default_limit) const {
  Query query;
  query.op = op;
  for (const std::string& word : key) query.key.push_back(value_of(word, common.escapes));
  if (in_ != nullptr) {
    add_in(session, common, query);
    for (const std::string& word : texts(where_)) {
      query.filters.push_back(filter_of(word, false, common.escapes));
    }
    for (const std::string& word : texts(while_)) {
      query.filters.push_back(filter_of(word, true, common.escapes));
    }
    query.offset = offset_;
  }
  query.limit = limit_.value_or(default_limit);
  return query;
}

}  // namespace hs::tool
