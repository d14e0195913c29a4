// How a command ends: its exit status, and what is said of an error.
#ifndef HS_CLIENTS_HS_STATUS_H_
#define HS_CLIENTS_HS_STATUS_H_

#include <string>

namespace hs::tool {

// Documented in docs/hs.md; numbers never change.
enum Status : int {
  done = 0,           // also: found
  nothing = 1,        // nothing was found, changed or waited for
  wrong_use = 2,      // of words or options; nothing was sent
  refused = 3,        // the server answered with an error
  no_answer = 4,      // no connection, or it broke, or it took too long
  no_file = 5,        // a file, or the output, could not be read or written
  in_part = 6,        // import: some rows were refused, the others are there
  unwell = 7,         // doctor: something is wrong
  interrupted = 130,  // by Ctrl-C, as a shell has it
};

struct Failure {
  Status status;
  std::string text;
};

// Of the exception that is being handled. Throws on what is no error of ours.
Failure current_failure();

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_STATUS_H_
