// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/names.h"

#include "mariadb/release.h"

namespace hs::mariadb {

std::string filed_name(const std::string& name) {
  return lower_case_table_names != 0 ? release::fold_file_name(name) : name;
}

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > NAME_LEN || name.find('\0') != std::string::npos) return false;
  // The server reads this prefix as an encoded file name.
  if (name.rfind("#mysql50#", 0) == 0) return false;
  // A name that is no valid text would have another file name and another metadata lock.
  return Well_formed_prefix(system_charset_info, name.data(), name.size()).length() == name.size();
}

}  // namespace hs::mariadb
