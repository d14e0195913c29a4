// The options by which commands find rows.
#ifndef HS_CLIENTS_HS_QUERY_OPTIONS_H_
#define HS_CLIENTS_HS_QUERY_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace hs::tool {

class QueryOptions {
 public:
  // TABLE, then words, and --index. what: the words' name and help.
  void declare_place(CLI::App& app, const char* words_name, const char* words_help);
  // --where, --while, --in, --in-column, --each, --limit, --offset.
  void declare_filters(CLI::App& app, const std::string& default_limit);

  // TABLE as it was given, with its database, and the index.
  Place place(const Session& session) const;
  // The words behind TABLE.
  std::vector<std::string> words() const { return texts(words_); }
  bool has_limit() const { return limit_.has_value(); }
  bool has_in() const { return !texts(in_).empty(); }

  // The query with this key, whose number of values the words are, and without them: of all rows.
  Query query(Session& session, const Common& common, const std::string& op,
              const std::vector<std::string>& key, uint32_t default_limit) const;

 private:
  void add_in(Session& session, const Common& common, Query& query) const;

  CLI::Option *table_ = nullptr, *words_ = nullptr, *index_ = nullptr;
  CLI::Option *where_ = nullptr, *while_ = nullptr, *in_ = nullptr, *in_column_ = nullptr;
  bool each_ = false;
  std::optional<uint32_t> limit_;
  uint32_t offset_ = 0;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_QUERY_OPTIONS_H_
