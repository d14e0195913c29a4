// The commands by their families; see commands() in command.h for their names.
#ifndef HS_CLIENTS_HS_COMMANDS_H_
#define HS_CLIENTS_HS_COMMANDS_H_

#include <memory>

#include "command.h"

namespace hs::tool {

// read_commands.cc
std::unique_ptr<Command> make_get();
std::unique_ptr<Command> make_find();
std::unique_ptr<Command> make_count();

// insert_commands.cc
std::unique_ptr<Command> make_insert();
std::unique_ptr<Command> make_upsert();
std::unique_ptr<Command> make_replace();

// change_commands.cc
std::unique_ptr<Command> make_update();
std::unique_ptr<Command> make_delete();
std::unique_ptr<Command> make_increment();
std::unique_ptr<Command> make_decrement();

// server_commands.cc
std::unique_ptr<Command> make_describe();
std::unique_ptr<Command> make_indexes();
std::unique_ptr<Command> make_ping();
std::unique_ptr<Command> make_raw();
std::unique_ptr<Command> make_wait_gtid();

// doctor.cc
std::unique_ptr<Command> make_doctor();

// top.cc
std::unique_ptr<Command> make_top();

// import.cc and export.cc
std::unique_ptr<Command> make_import();
std::unique_ptr<Command> make_export();

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_COMMANDS_H_
