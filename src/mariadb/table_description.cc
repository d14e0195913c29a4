// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/table_description.h"

#include <string_view>

#include "mariadb/release.h"

namespace hs::mariadb {
namespace {

std::string text_of(const LEX_CSTRING& text) {
  return text.str != nullptr ? std::string(text.str, text.length) : std::string();
}
std::string text_of(const String& text) { return {text.ptr(), text.length()}; }

// In quotes, as the server writes it. Its own function for that takes more from 10.11.19 and 11.8.9 on.
std::string quoted(const String& text) {
  std::string made = "'";
  for (const char sign : std::string_view(text.ptr(), text.length())) {
    switch (sign) {
      case '\0':
        made += "\\0";
        break;
      case '\n':
        made += "\\n";
        break;
      case '\r':
        made += "\\r";
        break;
      case '\\':
        made += "\\\\";
        break;
      case '\'':
        made += "''";
        break;
      default:
        made += sign;
    }
  }
  return made + "'";
}

std::string type_of(const Field& field) {
  StringBuffer<MAX_FIELD_WIDTH> type(system_charset_info);
  field.sql_type(type);
  return text_of(type);
}

std::string key_of(const Field& field) {
  if (field.flags & PRI_KEY_FLAG) return "PRI";
  if (field.flags & UNIQUE_KEY_FLAG) return "UNI";
  return field.flags & MULTIPLE_KEY_FLAG ? "MUL" : "";
}

// The default of a column that has a constant one. The table's record has the defaults.
std::string constant_default_of(Field& field) {
  if (field.is_null()) return "NULL";
  CHARSET_INFO* const utf8 = &my_charset_utf8mb4_general_ci;
  if (field.type() == MYSQL_TYPE_BIT) {
    std::string bits;
    auto value = static_cast<ulonglong>(field.val_int());
    do {
      bits.insert(bits.begin(), static_cast<char>('0' + value % 2));
      value /= 2;
    } while (value != 0);
    return "b'" + bits + "'";
  }
  StringBuffer<MAX_FIELD_WIDTH> value(utf8);
  field.val_str(&value);
  if (value.length() == 0) return "''";
  if (release::shows_as_hexadecimal(value)) {
    StringBuffer<MAX_FIELD_WIDTH> digits(utf8);
    digits.append_hex(value.ptr(), static_cast<uint32>(value.length()));
    return "x'" + text_of(digits) + "'";
  }
  StringBuffer<MAX_FIELD_WIDTH> readable;
  uint errors = 0;
  readable.copy(value.ptr(), value.length(), field.charset(), utf8, &errors);
  return field.str_needs_quotes() ? quoted(readable) : text_of(readable);
}

DescriptionText default_of(Field& field) {
  if (field.default_value != nullptr) {
    StringBuffer<MAX_FIELD_WIDTH> expression(&my_charset_utf8mb4_general_ci);
    field.default_value->print(&expression);
    if (!field.default_value->expr->need_parentheses_in_default()) return text_of(expression);
    return '(' + text_of(expression) + ')';
  }
  const bool has_none = (field.flags & NO_DEFAULT_VALUE_FLAG) != 0 || field.vers_sys_field() ||
                        field.unireg_check == Field::NEXT_NUMBER;
  if (has_none) return std::nullopt;
  return constant_default_of(field);
}

std::string extra_of(const Field& field) {
  std::string extra;
  const auto add = [&](std::string_view more) {
    if (!extra.empty()) extra += ", ";
    extra += more;
  };
  if (field.vcol_info != nullptr) {
    extra = field.vcol_info->is_stored() ? "STORED GENERATED" : "VIRTUAL GENERATED";
  } else if (field.flags & VERS_SYSTEM_FIELD) {
    extra = "STORED GENERATED";
  } else if (field.has_update_default_function()) {
    const std::string digits = field.decimals() > 0 ? std::to_string(field.decimals()) : "";
    extra = "on update current_timestamp(" + digits + ')';
  } else if (field.unireg_check == Field::NEXT_NUMBER) {
    extra = "auto_increment";
  }
  if (field.invisible == INVISIBLE_USER) add("INVISIBLE");
  if (field.vers_update_unversioned()) add("WITHOUT SYSTEM VERSIONING");
  return extra;
}

bool sees_column(const SeenOfTable* seen, size_t position) {
  return seen == nullptr || seen->columns[position];
}

bool sees_index(const SeenOfTable* seen, const KEY& key) {
  if (seen == nullptr || seen->all_indexes) return true;
  for (uint part = 0; part < key.user_defined_key_parts; ++part)
    if (!seen->columns[key.key_part[part].fieldnr - 1]) return false;
  return true;
}

DescriptionText prefix_of(const TABLE_SHARE& share, const KEY& key, const KEY_PART_INFO& part) {
  const bool is_whole = part.length == share.field[part.fieldnr - 1]->key_length();
  if (is_whole || release::is_fulltext(key)) return std::nullopt;
  return std::to_string(part.length / part.field->charset()->mbmaxlen);
}

}  // namespace

OwnArena::OwnArena(THD* thd)
    : thd_(thd),
      arena_(&root_, Query_arena::STMT_CONVENTIONAL_EXECUTION),
      statements_(thd->stmt_arena) {
  init_sql_alloc(PSI_NOT_INSTRUMENTED, &root_, 1024, 0, MYF(0));
  thd_->stmt_arena = &arena_;
  thd_->set_n_backup_active_arena(&arena_, &replaced_);
}

OwnArena::~OwnArena() {
  thd_->stmt_arena = statements_;
  thd_->restore_active_arena(&arena_, &replaced_);
  arena_.free_items();
  free_root(&root_, MYF(0));
}

HeldDefinition::~HeldDefinition() {
  if (has_table_) closefrm(&table_);
  if (share_ != nullptr) tdc_release_share(share_);
  thd_->mdl_context.rollback_to_savepoint(locked_before_);
}

HeldDefinition::Lock HeldDefinition::lock(const std::string& database, const std::string& table,
                                          bool waits) {
  const LEX_CSTRING db = {database.data(), database.size()};
  const LEX_CSTRING name = {table.data(), table.size()};
  list_.init_one_table(&db, &name, nullptr, TL_READ);
  MDL_request& request = list_.mdl_request;
  MDL_REQUEST_INIT(&request, MDL_key::TABLE, database.c_str(), table.c_str(), MDL_SHARED_HIGH_PRIO,
                   MDL_TRANSACTION);
  const bool failed = waits ? thd_->mdl_context.acquire_lock(
                                  &request, static_cast<double>(thd_->variables.lock_wait_timeout))
                            : thd_->mdl_context.try_acquire_lock(&request);
  if (failed) return Lock::kFailed;
  return request.ticket != nullptr ? Lock::kTaken : Lock::kRefused;
}

bool HeldDefinition::find(uint flags) {
  share_ = tdc_acquire_share(thd_, &list_, flags, nullptr);
  return share_ != nullptr;
}

TABLE* HeldDefinition::make_table(bool with_handler) {
  const open_frm_error error = open_table_from_share(
      thd_, share_, &share_->table_name, 0, EXTRA_RECORD | (with_handler ? 0 : OPEN_FRM_FILE_ONLY),
      0, &table_, false, nullptr);
  has_table_ = error == OPEN_FRM_OK;
  if (!has_table_) return nullptr;
  // The handler is not open, so it is told nothing.
  table_.column_bitmaps_set_no_signal(&share_->all_set, &share_->all_set);
  restore_record(&table_, s->default_values);
  return &table_;
}

std::vector<DescriptionRow> columns_of(TABLE& table, const SeenOfTable* seen) {
  std::vector<DescriptionRow> rows;
  for (uint i = 0; i < table.s->fields; ++i) {
    Field& field = *table.field[i];
    if (field.invisible > INVISIBLE_USER || !sees_column(seen, i)) continue;
    rows.push_back(
        {text_of(field.field_name), type_of(field), field.flags & NOT_NULL_FLAG ? "NO" : "YES",
         key_of(field), default_of(field), extra_of(field),
         field.has_charset() ? DescriptionText(text_of(field.charset()->cs_name)) : std::nullopt,
         text_of(field.comment)});
  }
  return rows;
}

std::vector<DescriptionRow> indexes_of(const TABLE& table, const SeenOfTable* seen) {
  std::vector<DescriptionRow> rows;
  const TABLE_SHARE& share = *table.s;
  for (uint i = 0; i < share.keys; ++i) {
    const KEY& key = share.key_info[i];
    if ((key.flags & HA_INVISIBLE_KEY) || !sees_index(seen, key)) continue;
    for (uint j = 0; j < key.user_defined_key_parts; ++j) {
      const KEY_PART_INFO& part = key.key_part[j];
      if (part.field->invisible >= INVISIBLE_SYSTEM) continue;
      DescriptionText direction;
      if (table.file->index_flags(i, j, false) & HA_READ_ORDER)
        direction = part.key_part_flag & HA_REVERSE_SORT ? "D" : "A";
      rows.push_back({text_of(key.name), std::to_string(j + 1), text_of(part.field->field_name),
                      key.flags & HA_NOSAME ? "1" : "0", direction, prefix_of(share, key, part)});
    }
  }
  return rows;
}

std::string comment_of(const TABLE_SHARE& share) {
  return share.is_view ? "VIEW" : text_of(share.comment);
}

}  // namespace hs::mariadb
