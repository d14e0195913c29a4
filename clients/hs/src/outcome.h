// What is printed of a change.
#ifndef HS_CLIENTS_HS_OUTCOME_H_
#define HS_CLIENTS_HS_OUTCOME_H_

#include <string>
#include <vector>

#include "command.h"

namespace hs::tool {

// Columns and values of a change's answer: the sentence, or, when a format was asked for, the row.
Status tell(const Common& common, const std::string& sentence, const Rows& outcome, bool changed);

// --returning: adds the option to a command.
CLI::Option* add_returning(CLI::App& app, const std::vector<std::string>& kinds);
// "?" for before, "!" for after, nothing without the option.
std::string returning_mark(const CLI::Option* option);

// The fields in words (COLUMN=VALUE) and in --null. Throws UsageError when a word is none, a column
// stands twice, or there is none at all.
Fields fields_of(const std::vector<std::string>& words, const std::vector<std::string>& nulls,
                 bool escapes);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_OUTCOME_H_
