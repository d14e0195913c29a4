#include "commands.h"

namespace hs::tool {

const std::vector<CommandEntry>& commands() {
  static const std::vector<CommandEntry> all = {
      {"get", "Prints the row with a key", make_get},
      {"find", "Prints the rows that compare with a key", make_find},
      {"count", "Counts rows", make_count},
      {"insert", "Adds a row", make_insert},
      {"upsert", "Adds a row, or updates the one that is there", make_upsert},
      {"replace", "Adds a row in the place of those that are there", make_replace},
      {"update", "Sets columns of rows", make_update},
      {"delete", "Deletes rows", make_delete},
      {"incr", "Adds to columns of rows", make_increment},
      {"decr", "Subtracts from columns of rows, but not across zero", make_decrement},
      {"describe", "Tells of databases, of a database's tables, or of a table's columns",
       make_describe},
      {"indexes", "Tells of a table's indexes", make_indexes},
      {"top", "Shows what the server does, over its SQL port", make_top},
      {"doctor", "Tells what is wrong with the server and the plugin, and what to do", make_doctor},
      {"import", "Adds the rows of a file", make_import},
      {"export", "Writes a table's rows into a file", make_export},
      {"ping", "Tells whether the server answers, and what it is", make_ping},
      {"raw", "Sends lines of the protocol as they are", make_raw},
      {"wait-gtid", "Waits until the server has applied changes", make_wait_gtid},
  };
  return all;
}

}  // namespace hs::tool
