// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/names.h"

#include <cstring>

namespace hs::mariadb {

std::string filed_name(const std::string& name) {
  std::string filed = name;
  if (lower_case_table_names != 0) {
    filed.resize(name.size() * files_charset_info->casedn_multiply());
    filed.resize(
        my_casedn_str(files_charset_info, std::strncpy(filed.data(), name.c_str(), filed.size())));
  }
  return filed;
}

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > NAME_LEN || name.find('\0') != std::string::npos) return false;
  // The server reads this prefix as an encoded file name.
  if (name.rfind("#mysql50#", 0) == 0) return false;
  // A name that is no valid text would have another file name and another metadata lock.
  return Well_formed_prefix(system_charset_info, name.data(), name.size()).length() == name.size();
}

}  // namespace hs::mariadb
