// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/names.h"

namespace hs::mysql {

std::string filed_name(const std::string& name) {
  if (lower_case_table_names == 0) return name;
  std::string original = name;
  std::string folded(name.size() * files_charset_info->casedn_multiply, '\0');
  folded.resize(files_charset_info->cset->casedn(files_charset_info, original.data(),
                                                 original.size(), folded.data(), folded.size()));
  return folded;
}

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > NAME_LEN || name.find('\0') != std::string::npos) return false;
  // The server reads this prefix as an encoded file name.
  if (name.starts_with("#mysql50#")) return false;
  // A name that is no valid text would have another file name and another metadata lock.
  int error = 0;
  const char* const end = name.data() + name.size();
  const size_t length = system_charset_info->cset->well_formed_len(system_charset_info, name.data(),
                                                                   end, NAME_CHAR_LEN, &error);
  return error == 0 && length == name.size();
}

}  // namespace hs::mysql
