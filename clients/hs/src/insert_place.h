// The index that an insert names: the protocol asks for one, though it searches nothing.
#ifndef HS_CLIENTS_HS_INSERT_PLACE_H_
#define HS_CLIENTS_HS_INSERT_PLACE_H_

#include <string>

#include "server.h"

namespace hs::tool {

// PRIMARY, or where there is none another one. Throws UsageError for a table without an index.
Place insert_place(Server& server, const std::string& table);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_INSERT_PLACE_H_
