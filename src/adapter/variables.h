// What the system variables are set to (seam/variables.def says what they are).
#pragma once

#include <string>

#include "seam/library.h"

namespace hs::adapter {

// Those of the loader; without one (tools/moving_session) all have their defaults.
seam::Values& values();
void use_values_of(const seam::Host& host);
void use_own_values();

// Makes `text`, which malloc() has made or is null, the value of a text of the loader's.
void keep_text(char** variable, char* text);

// A text that is null is an empty one.
inline std::string text(const char* value) { return value != nullptr ? value : ""; }

// Whether values are bytes on the wire, and not utf8mb4 (handlersocket_character_set).
bool values_are_bytes();

// How many seconds a request waits for a table, at present. Any thread.
unsigned lock_timeout_s();
// handlersocket_ttl_purge_rows
unsigned purge_rows_per_second();

// Whether start, stop and warnings are told (handlersocket_verbose). Any thread.
bool is_verbose();

}  // namespace hs::adapter
