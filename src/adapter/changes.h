// What happens when a system variable is set at run time.
//
// The server calls update() with LOCK_global_system_variables, which every new connection of SQL
// needs. So it is given back while a change may take time. A failure is reported as an error of the
// SET, and the variable stays as it was.
#pragma once

#include <cstddef>
#include <mutex>
#include <string_view>

#include "seam/library.h"
#include "server/own_places.h"

namespace hs::adapter {

// The server, as a SET sees it. Used by the SET's thread.
class SettingsHost {
 public:
  virtual ~SettingsHost() = default;

  // Gives back LOCK_global_system_variables, and takes it again.
  virtual void unlock_variables() = 0;
  virtual void lock_variables() = 0;
  // Makes the sentence the error of the SET.
  virtual void raise(std::string_view sentence) = 0;
  virtual void raise_no_such_connection(unsigned long long id) = 0;
  // A copy in the memory of the statement; null: there is none, and the error is raised.
  virtual const void* copy(THD* thd, const void* bytes, size_t size) = 0;
  // Where the database listens.
  virtual server::OwnPlaces own_places() = 0;
};

// Held by who changes the variables, and by a start, which reads them.
std::mutex& turns();

// Library::update
void update(SettingsHost& host, seam::Variable which, void* target, const void* value);

// Library::check_secret: keeps only the digest, for update().
bool check_secret(SettingsHost& host, THD* thd, std::string_view secret, const void** kept);

// Library::kill_connection
bool kill_connection(SettingsHost& host, unsigned long long id);

}  // namespace hs::adapter
