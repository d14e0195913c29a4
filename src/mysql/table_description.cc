// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/table_description.h"

#include <string_view>

#include "mysql_com.h"
#include "sql/dd/properties.h"
#include "sql/dd/types/index.h"
#include "sql/dd/types/index_element.h"
#include "sql/dd_table_share.h"

namespace hs::mysql {
namespace {

using Hidden = dd::Column::enum_hidden_type;

std::string text_of(const dd::String_type& text) { return {text.data(), text.size()}; }

// The server has made it, for a table without a primary key.
bool is_generated_key(const dd::Properties& options) {
  bool is_generated = false;
  return options.exists("gipk") && !options.get("gipk", &is_generated) && is_generated;
}

bool is_shown(const dd::Column& column, bool shows_generated_keys) {
  const bool has_name =
      column.hidden() == Hidden::HT_VISIBLE || column.hidden() == Hidden::HT_HIDDEN_USER;
  return has_name && (shows_generated_keys || !is_generated_key(column.options()));
}

const char* key_of(const dd::Column& column) {
  switch (column.column_key()) {
    case dd::Column::CK_PRIMARY:
      return "PRI";
    case dd::Column::CK_UNIQUE:
      return "UNI";
    case dd::Column::CK_MULTIPLE:
      return "MUL";
    case dd::Column::CK_NONE:
      break;
  }
  return "";
}

std::string extra_of(const dd::Column& column) {
  std::string extra;
  const auto add = [&](std::string_view more) {
    if (!extra.empty()) extra += ' ';
    extra += more;
  };
  if (column.is_generation_expression_null()) {
    if (!column.default_option().empty()) add("DEFAULT_GENERATED");
    if (!column.update_option().empty()) add("on update " + text_of(column.update_option()));
    if (column.is_auto_increment()) add("auto_increment");
  } else {
    add(column.is_virtual() ? "VIRTUAL GENERATED" : "STORED GENERATED");
  }
  if (column.options().exists("masking_policy")) add("MASKING POLICY");
  if (column.options().exists("not_secondary")) add("NOT SECONDARY");
  if (column.hidden() == Hidden::HT_HIDDEN_USER) add("INVISIBLE");
  return extra;
}

const CHARSET_INFO* charset_of(const dd::Column& column) {
  return get_charset(static_cast<uint>(column.collation_id()), MYF(0));
}

DescriptionText charset_name_of(const dd::Column& column) {
  switch (column.type()) {
    case dd::enum_column_types::STRING:
    case dd::enum_column_types::VAR_STRING:
    case dd::enum_column_types::VARCHAR:
    case dd::enum_column_types::TINY_BLOB:
    case dd::enum_column_types::MEDIUM_BLOB:
    case dd::enum_column_types::BLOB:
    case dd::enum_column_types::LONG_BLOB:
    case dd::enum_column_types::ENUM:
    case dd::enum_column_types::SET:
      break;
    default:
      return std::nullopt;
  }
  const CHARSET_INFO* const charset = charset_of(column);
  if (charset == nullptr || charset == &my_charset_bin) return std::nullopt;
  return std::string(charset->csname);
}

DescriptionText prefix_of(const dd::Index& index, const dd::Index_element& part) {
  const dd::Column& column = part.column();
  const enum_field_types type = dd_get_old_field_type(column.type());
  if (index.type() == dd::Index::IT_FULLTEXT || !Field::type_can_have_key_part(type))
    return std::nullopt;
  const auto whole = calc_key_length(type, static_cast<uint32>(column.char_length()), 0, false, 0);
  if (part.length() == whole) return std::nullopt;
  const CHARSET_INFO* const charset = charset_of(column);
  return std::to_string(part.length() / (charset == nullptr ? 1 : charset->mbmaxlen));
}

DescriptionText direction_of(const dd::Index_element& part) {
  switch (part.order()) {
    case dd::Index_element::ORDER_ASC:
      return "A";
    case dd::Index_element::ORDER_DESC:
      return "D";
    case dd::Index_element::ORDER_UNDEF:
      break;
  }
  return std::nullopt;
}

}  // namespace

HeldDefinition::HeldDefinition(THD* thd)
    : thd_(thd),
      locked_before_(thd->mdl_context.mdl_savepoint()),
      memory_(PSI_NOT_INSTRUMENTED, 4096),
      uses_memory_(thd, &memory_),
      schema_lock_(thd),
      releaser_(thd->dd_client()) {}

HeldDefinition::~HeldDefinition() { thd_->mdl_context.rollback_to_savepoint(locked_before_); }

const dd::Schema* HeldDefinition::schema(const std::string& database) {
  const dd::Schema* found = nullptr;
  is_missing_ = false;
  if (schema_lock_.ensure_locked(database.c_str())) return nullptr;
  if (thd_->dd_client()->acquire(database.c_str(), &found)) return nullptr;
  is_missing_ = found == nullptr;
  return found;
}

const dd::Abstract_table* HeldDefinition::table(const std::string& database,
                                                const std::string& table) {
  const dd::Abstract_table* found = nullptr;
  if (schema(database) == nullptr) return nullptr;
  MDL_request request;
  MDL_REQUEST_INIT(&request, MDL_key::TABLE, database.c_str(), table.c_str(), MDL_SHARED_HIGH_PRIO,
                   MDL_TRANSACTION);
  if (thd_->mdl_context.acquire_lock(&request, thd_->variables.lock_wait_timeout)) return nullptr;
  if (thd_->dd_client()->acquire(database.c_str(), table.c_str(), &found)) return nullptr;
  if (found != nullptr && found->hidden() != dd::Abstract_table::HT_VISIBLE) found = nullptr;
  is_missing_ = found == nullptr;
  return found;
}

std::vector<DescriptionRow> columns_of(const dd::Table& table, bool shows_generated_keys,
                                       const SeesColumn& sees) {
  std::vector<DescriptionRow> rows;
  for (const dd::Column* column : table.columns()) {
    const std::string name = text_of(column->name());
    if (!is_shown(*column, shows_generated_keys) || (sees && !sees(name))) continue;
    DescriptionText value;
    if (!column->is_default_value_utf8_null()) value = text_of(column->default_value_utf8());
    rows.push_back({name, text_of(column->column_type_utf8()), column->is_nullable() ? "YES" : "NO",
                    key_of(*column), value, extra_of(*column), charset_name_of(*column),
                    text_of(column->comment())});
  }
  return rows;
}

std::vector<DescriptionRow> indexes_of(const dd::Table& table, bool shows_generated_keys) {
  std::vector<DescriptionRow> rows;
  for (const dd::Index* index : table.indexes()) {
    if (index->is_hidden()) continue;
    if (!shows_generated_keys && is_generated_key(index->options())) continue;
    const bool is_unique =
        index->type() == dd::Index::IT_PRIMARY || index->type() == dd::Index::IT_UNIQUE;
    for (const dd::Index_element* part : index->elements()) {
      if (part->is_hidden()) continue;
      // The part of a functional index has an expression in the place of a column.
      DescriptionText column;
      if (part->column().hidden() != Hidden::HT_HIDDEN_SQL) column = text_of(part->column().name());
      rows.push_back({text_of(index->name()), std::to_string(part->ordinal_position()), column,
                      is_unique ? "1" : "0", direction_of(*part), prefix_of(*index, *part)});
    }
  }
  return rows;
}

std::string comment_of(const dd::Abstract_table& table) {
  const auto* const made = dynamic_cast<const dd::Table*>(&table);
  return made == nullptr ? "VIEW" : text_of(made->comment());
}

}  // namespace hs::mysql
