// What a connection knows of the tables that its keys name, so that each is looked up once: their
// mappings, and the specs of the columns that its commands work on.
//
// Used by the thread of the connection. What bound() gives is valid until bind() or look_up(), the
// specs in it until destroy_forgotten().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/session.h"
#include "mapping/directory.h"
#include "protocol/command.h"

namespace hs::exec {

class SpecPool;

class KnownTables {
 public:
  KnownTables() = default;
  KnownTables(const KnownTables&) = delete;
  KnownTables& operator=(const KnownTables&) = delete;
  ~KnownTables() {
    forget_all();
    destroy_forgotten();
  }

  // A command and what it works on.
  struct Bound {
    const mapping::Mapping* table = nullptr;
    const engine::IndexSpecPtr* spec = nullptr;
  };

  // Begins the command and finds the specs of its targets: bound(). Does not ask the database.
  // `directory`: null: nothing is known. False: a table or a spec is not known, and look_up() comes
  // before the next call.
  bool bind(protocol::Command& command, const protocol::Facts& facts,
            const mapping::Directory* directory);
  std::span<const Bound> bound() const { return bound_; }

  // The table is not there for the command, which is begun anew. Only of a command that names keys, and
  // after bind() or look_up(). False: as that of bind().
  bool leave_out(const mapping::Mapping& table, protocol::Command& command,
                 const protocol::Facts& facts);

  // The same as bind(), but asks the database, and makes the specs that are not known. With nothing
  // uncommitted. Forgets what is out of date, or too much. Errors: those of Directory::find(),
  // kTooManyIndexes. May throw MemoryRefused.
  Result<void> look_up(protocol::Command& command, const protocol::Facts& facts,
                       mapping::Directory* directory, engine::Session& session, SpecPool& pool,
                       size_t most_specs);

  // The mapping is no longer true. It and its specs stay in memory until destroy_forgotten(), which is
  // to be called when no plan is in use any more.
  void forget(const mapping::Mapping& mapping);
  void destroy_forgotten();

  // No command is under way: what one of very many keys has left is not kept.
  void shrink();

  // Whether the connection has named a table.
  bool is_any() const { return !specs_.empty(); }

 private:
  struct Known {
    const mapping::Mapping* table;
    std::vector<uint16_t> columns, filter_columns;
    bool is_of_other_index;
    engine::IndexSpecPtr spec;
    size_t memory;
  };

  void forget_all();
  bool begin(protocol::Command& command, const protocol::Facts& facts);
  bool find_tables(protocol::Command& command, const mapping::Directory* directory);
  Result<void> ask_for_tables(protocol::Command& command, mapping::Directory* directory,
                              engine::Session& session);
  const mapping::Mapping* find(std::string_view key);
  const mapping::Mapping* add(mapping::MappingPtr mapping);
  // Of the command and of tables that it only names. Stops at the first for which `visit` is false.
  template <class Visit>
  bool each_target(const protocol::Command& command, Visit visit);
  const engine::IndexSpecPtr* find_spec(const protocol::Target& target);
  const engine::IndexSpecPtr* make_spec(const protocol::Target& target, SpecPool& pool);
  void drop(const Known& known);

  SpecPool* pool_ = nullptr;  // of the specs; null: there is none yet
  std::vector<mapping::MappingPtr> mappings_, forgotten_mappings_;
  uint64_t version_ = 0;  // of the directory that they are from
  size_t last_mapping_ = 0;
  std::vector<std::unique_ptr<Known>> specs_, forgotten_specs_;
  size_t last_spec_ = 0;
  size_t names_ = 0;                             // columns of all specs
  std::vector<const mapping::Mapping*> tables_;  // of the command's keys
  std::vector<Bound> bound_;
};

}  // namespace hs::exec
