// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/expressions.h"

#include <algorithm>
#include <string_view>

namespace hs::mariadb {
namespace {

bool asks_for_client(Item_func* function) {
  const Item_func::Functype type = function->functype();
  if (type == Item_func::GSYSVAR_FUNC || type == Item_func::GUSERVAR_FUNC) return true;
  // SYSTEM_USER has the name of USER, and so has SESSION_USER before 11.8.
  const LEX_CSTRING name = function->func_name_cstring();
  for (const std::string_view known :
       {"user", "current_user", "session_user", "current_role", "database", "connection_id"})
    if (known == std::string_view(name.str, name.length)) return true;
  return false;
}

bool item_depends_on_client(Item* item) {
  switch (item->type()) {
    case Item::FIELD_ITEM: {
      const Field* field = static_cast<Item_field*>(item)->field;
      return field != nullptr && depends_on_client(field->vcol_info);
    }
    case Item::FUNC_ITEM: {
      auto* function = static_cast<Item_func*>(item);
      return asks_for_client(function) ||
             std::any_of(function->arguments(), function->arguments() + function->argument_count(),
                         item_depends_on_client);
    }
    case Item::COND_ITEM: {
      List_iterator<Item> next(*static_cast<Item_cond*>(item)->argument_list());
      while (Item* const argument = next++)
        if (item_depends_on_client(argument)) return true;
      return false;
    }
    case Item::ROW_ITEM:
      for (uint i = 0; i < item->cols(); ++i)
        if (item_depends_on_client(item->element_index(i))) return true;
      return false;
    case Item::CACHE_ITEM: {
      Item* const cached = static_cast<Item_cache*>(item)->get_example();
      return cached != nullptr && item_depends_on_client(cached);
    }
    default: {
      Item* const real = item->real_item();
      return real != item && item_depends_on_client(real);
    }
  }
}

bool any_depends_on_client(Field* const* fields, const Virtual_column_info* (*of)(const Field*)) {
  if (fields == nullptr) return false;
  for (; *fields != nullptr; ++fields)
    if (depends_on_client(of(*fields))) return true;
  return false;
}

}  // namespace

bool depends_on_client(const Virtual_column_info* expression) {
  // The server has examined the expressions, too: its flags show that nearly all are harmless.
  return expression != nullptr && expression->expr != nullptr &&
         (expression->flags & (VCOL_SESSION_FUNC | VCOL_NON_DETERMINISTIC)) != 0 &&
         item_depends_on_client(expression->expr);
}

bool changes_depend_on_client(const TABLE* table) {
  return any_depends_on_client(
             table->vfield,
             [](const Field* field) -> const Virtual_column_info* { return field->vcol_info; }) ||
         any_depends_on_client(
             table->default_field,
             [](const Field* field) -> const Virtual_column_info* { return field->default_value; });
}

}  // namespace hs::mariadb
