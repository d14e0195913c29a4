// What a word of the prompt may become: commands, options, and what the server has.
#ifndef HS_CLIENTS_HS_COMPLETION_H_
#define HS_CLIENTS_HS_COMPLETION_H_

#include <map>
#include <string>
#include <vector>

#include "command.h"

namespace hs::tool {

class Completion {
 public:
  // in_shell: a whole command line is completed, and not a line of the prompt.
  Completion(Session& session, bool in_shell) : session_(session), in_shell_(in_shell) {}

  // words: those in front of the word; word: as far as it is typed. A name that ends with a dot or an =
  // wants more behind it. Without a server there is none of its names.
  std::vector<std::string> of(const std::vector<std::string>& words, const std::string& word);
  // What is known of the server is asked for anew.
  void forget() { known_.clear(); }

 private:
  std::vector<std::string> first_words(const std::string& word) const;
  std::vector<std::string> candidates(const std::vector<std::string>& words,
                                      const std::string& word);
  std::vector<std::string> places(const std::string& word);
  // The first column of an answer, kept until forget().
  const std::vector<std::string>& names(char kind, const std::string& of);

  Session& session_;
  bool in_shell_;
  std::map<std::string, std::vector<std::string>> known_;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_COMPLETION_H_
