// What the system variables are set to: the loader's, and read by the library. The server writes them
// before the plugin starts. Later the functions of the library do, one SET after the other, under
// LOCK_global_system_variables; while there is no library the loader does.
#pragma once

namespace hs::seam {

enum : unsigned long { kUtf8mb4, kBinary };                // handlersocket_character_set
enum : unsigned long { kAuto, kNone, kSecret, kAccount };  // handlersocket_authentication

// What a variable's change at run time does.
enum class Change {
  kAtStart,  // cannot be changed
  kStored,   // nothing else: it is looked at when it is needed
  kSetting,  // of limits and times (server/settings.h)
  kListen,   // of where to listen, and on what terms
  kServe,    // of how many threads serve
  kSecret,
  kSecretWr,
  kSecretFile,
  kSecretWrFile,
  kSlowLog,
  kLongQueryTime,
  kSlowLogFile,
};

// A text that is null is an empty one, but for plain_secret_wr. What secrets show is not what they are.
struct Values {
#define HS_NUMBER(name, change, standard, least, most, help) unsigned name = standard;
#define HS_LARGE_NUMBER(name, change, standard, least, most, help) \
  unsigned long long name = standard;
#define HS_SECONDS(name, change, standard, least, most, help) double name = standard;
#define HS_SWITCH(name, change, standard, help) bool name = standard;
#define HS_TEXT(name, change, standard, help) char* name = nullptr;
#define HS_CHOICE(name, change, standard, names, help) unsigned long name = standard;
#define HS_ACTION(name, most, help)
#include "seam/variables.def"
#include "seam/variables_end.h"
};

// Names each variable across the seam.
enum class Variable : unsigned {
#define HS_NUMBER(name, ...) name,
#define HS_LARGE_NUMBER(name, ...) name,
#define HS_SECONDS(name, ...) name,
#define HS_SWITCH(name, ...) name,
#define HS_TEXT(name, ...) name,
#define HS_CHOICE(name, ...) name,
#define HS_ACTION(name, ...) name,
#include "seam/variables.def"
#include "seam/variables_end.h"
};

}  // namespace hs::seam
