// The forms of replies, in both versions of the protocol. Appends to a connection's output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"

namespace hs::protocol::resp {

class Encoder {
 public:
  // Where the next reply goes. `version`: 2 or 3.
  void set_target(Buffer& target, int version) {
    target_ = &target;
    version_ = version;
    begin_ = target.size();
  }
  int version() const { return version_; }
  void set_version(int version) { version_ = version; }

  void simple(std::string_view text);  // +OK
  void ok() { simple("OK"); }
  void error(std::string_view text);  // -ERR ...; bytes that would end the line become blanks
  void integer(int64_t number);
  void integer(uint64_t number);
  void bulk(std::string_view text);
  // A bulk whose bytes follow, `size` of them, and then end_bulk().
  void begin_bulk(size_t size);
  void append(std::string_view bytes) { target_->append(bytes); }
  void end_bulk() { target_->append("\r\n"); }
  void null();                           // no value
  void null_array();                     // no list
  void array(size_t size);               // so many replies follow
  void map(size_t pairs);                // in version 2 an array of twice as many
  void set(size_t size);                 // in version 2 an array
  void number(std::string_view text);    // a double; in version 2 a bulk
  void boolean(bool value);              // in version 2 an integer
  void verbatim(std::string_view text);  // text for people; in version 2 a bulk

  // Places in the output, from the beginning of the reply on.
  size_t size() const { return target_->size() - begin_; }
  void truncate(size_t size) { target_->truncate(begin_ + size); }
  std::string_view since(size_t place) const { return target_->view().substr(begin_ + place); }

 private:
  void head(char mark, uint64_t number);

  Buffer* target_ = nullptr;
  size_t begin_ = 0;
  int version_ = 2;
};

}  // namespace hs::protocol::resp
