// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/table_shape.h"
// (before anything else)
#include <string_view>
#include <utility>

#include "columns/shape.h"
#include "mariadb/definition_news.h"
#include "mariadb/engines.h"
#include "mariadb/names.h"
#include "mariadb/session.h"
#include "mariadb/table_description.h"

namespace hs::mariadb {

uint64_t definition_of(const TABLE_SHARE& share) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i)
      hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  };
  add(share.tabledef_version.str, share.tabledef_version.length);
  add(share.comment.str, share.comment.length);
  // ALTER TABLE … DISABLE KEYS and ENABLE KEYS make no new version.
  for (uint i = 0; i < share.keys; ++i) {
    const bool is_usable = share.keys_in_use.is_set(i);
    add(&is_usable, sizeof is_usable);
  }
  return hash;
}

// In a statement.
Result<mapping::TableShape> MariaSession::read_shape(const std::string& database,
                                                     const std::string& table) {
  const OwnArena arena(thd_);
  HeldDefinition definition(thd_);
  Result<void> held = hold(definition, database, table, GTS_TABLE);
  if (!held) return is_of_table(held.error()) ? Error{ErrorCode::kOpenTable, 0, {}} : held.error();
  if (definition.share().table_category != TABLE_CATEGORY_USER) return ErrorCode::kOpenTable;
  const TABLE* const made = definition.make_table(true);
  if (made == nullptr) {
    const Error error = take_error(0);
    return is_of_table(error) ? Error{ErrorCode::kOpenTable, 0, {}} : error;
  }
  mapping::TableShape shape = columns::shape_of(*made, definition_of(*made->s));
  shape.tells_duplicates = !is_remote(made->file);
  return shape;
}

void MariaSession::look_for_news(bool thorough, mapping::TableNews& news) {
  struct DiskWait {
    ServerSession& server;
    ~DiskWait() { server.on_wait_end(); }
  } const wait{server_};
  server_.on_wait_begin(THD_WAIT_DISKIO);
  definition_news().look(thorough, news);
}

}  // namespace hs::mariadb
