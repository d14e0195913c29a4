// The seam between the loader, which fits every patch release of the server, and the library, which
// fits one: what each gives the other. Plain types only, and functions that throw nothing.
//
// A library carries a note (Note), by which the loader knows before it runs any of its code whether
// it is of this release of HandlerSocket and for this very server. Its one symbol is
// handlersocket2_library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "seam/values.h"

class THD;

namespace hs::seam {

// Names the status variables and tables across the seam.
enum class Status : unsigned {
#define HS_LOADER_STATUS(name) name,
#define HS_TABLE_STATUS(name, member) name,
#define HS_STATUS(name) name,
#include "seam/status.def"
#include "seam/status_end.h"
};
enum class Table : unsigned {
#define HS_TABLE(name, title, purpose) name,
#include "seam/tables.def"
#undef HS_TABLE
};

// Why something failed: one sentence, cut to what the server's log takes.
struct Why {
  char text[1000] = "";
};

// What the loader gives. All of it is valid until stop() has returned, but for the secrets.
struct Host {
  Values* values;
  // Makes `text`, which malloc() has made or is null, the variable's. It belongs to the loader then.
  void (*keep_text)(char** variable, char* text);
  // The secrets that the variables were set to: null where one is unset. Gone when open() returns.
  const char* secret;
  const char* secret_wr;
};

// What the library gives. Each function says which thread may call it.
struct Library {
  // Takes what the host has, before everything else but describe_table(). False: *why says why.
  bool (*open)(const Host* host, Why* why);
  // Opens the ports. The caller must not hold LOCK_global_system_variables. False: nothing was
  // opened; *why says why, and start() may be tried again.
  bool (*start)(Why* why);
  // Undoes start() and open(), whether or not they were called, and waits for all threads.
  void (*stop)();

  // What a SET does, between open() and stop(), in its thread. False: an error was raised. update() is
  // called with LOCK_global_system_variables, the others without. check_secret() makes of a secret
  // what update() takes for it, in the memory of the statement; null and "" are taken, too.
  void (*update)(Variable variable, void* target, const void* value);
  bool (*check_secret)(THD* thd, const char* text, size_t size, const void** kept);
  bool (*kill_connection)(unsigned long long id);

  // Any thread, between open() and stop().
  unsigned long long (*status)(Status status);

  // Describes a table of INFORMATION_SCHEMA: what the init function of its plugin is to do. It needs
  // neither open() nor start(): while nothing runs, the table is empty.
  bool (*describe_table)(Table table, void* schema_table);
};

inline constexpr char kLibrarySymbol[] = "handlersocket2_library";

// A number that differs where one side of the seam would take something of the other for something
// else. What it is not made of (the meaning of a function) changes the number it begins with.
constexpr uint32_t mixed(uint32_t sum, const char* text) {
  for (; *text != '\0'; ++text) sum = (sum ^ static_cast<unsigned char>(*text)) * 16777619U;
  return sum * 16777619U;  // so that texts have an end
}
constexpr uint32_t seam_number() {
  uint32_t sum = 1;
#define HS_NUMBER(name, change, ...) sum = mixed(sum, "number " #name " " #change);
#define HS_LARGE_NUMBER(name, change, ...) sum = mixed(sum, "large number " #name " " #change);
#define HS_SECONDS(name, change, ...) sum = mixed(sum, "seconds " #name " " #change);
#define HS_SWITCH(name, change, ...) sum = mixed(sum, "switch " #name " " #change);
#define HS_TEXT(name, change, ...) sum = mixed(sum, "text " #name " " #change);
#define HS_CHOICE(name, change, standard, names, ...) \
  sum = mixed(sum, "choice " #name " " #change #names);
#define HS_ACTION(name, ...) sum = mixed(sum, "action " #name);
#include "seam/variables.def"
#include "seam/variables_end.h"
#define HS_LOADER_STATUS(name) sum = mixed(sum, "status " #name);
#define HS_TABLE_STATUS(name, member) sum = mixed(sum, "status " #name);
#define HS_STATUS(name) sum = mixed(sum, "status " #name);
#include "seam/status.def"
#include "seam/status_end.h"
#define HS_TABLE(name, ...) sum = mixed(sum, "table " #name);
#include "seam/tables.def"
#undef HS_TABLE
  const size_t sizes[] = {sizeof(Values), sizeof(Host), sizeof(Library), sizeof(Why)};
  for (const size_t size : sizes) sum = (sum ^ static_cast<uint32_t>(size)) * 16777619U;
  return sum;
}

// The note of a library, in a section of its own (an ELF note of this name and type). Texts end with
// a NUL and are filled up with more. The loader has such a note of another type, of no server: by both
// the package's scripts tell whether it takes a library.
inline constexpr char kNoteName[] = "HandlerSocket 2";
inline constexpr uint32_t kNoteType = 1;
inline constexpr uint32_t kLoaderNoteType = 2;
struct Note {
  char release[24];          // of HandlerSocket
  uint32_t seam;             // seam_number()
  uint32_t server_version;   // MYSQL_VERSION_ID
  char server_build_id[72];  // of the server's program, in hexadecimal digits
};
static_assert(sizeof(Note) % 4 == 0);

}  // namespace hs::seam
