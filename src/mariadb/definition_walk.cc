// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/definition_walk.h"
// (before anything else)
#include <sql_table.h>

#include <cstdio>
#include <memory>
#include <string_view>

#include "mariadb/names.h"

namespace hs::mariadb {
namespace {

constexpr std::string_view kExtension = ".frm";
constexpr size_t kMostBytes = 1u << 20;  // of a file that are looked at

struct CloseDirectory {
  void operator()(MY_DIR* directory) const { my_dirend(directory); }
};
using Directory = std::unique_ptr<MY_DIR, CloseDirectory>;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string name_of(const char* file) {
  char name[SAFE_NAME_LEN + 1];
  filename_to_tablename(file, name, sizeof name, true);
  return name;
}

// The comment stands in the file as it is.
bool may_have_ttl(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return false;
  std::string bytes(kMostBytes, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  const size_t mark = bytes.find("hs:");
  return mark != std::string::npos && bytes.find("ttl=", mark) != std::string::npos;
}

}  // namespace

void DefinitionWalk::begin() {
  databases_.clear();
  files_.clear();
  const Directory directory(my_dir(mysql_data_home, MYF(MY_WANT_STAT)));
  if (directory == nullptr) return;
  for (size_t i = 0; i < directory->number_of_files; ++i) {
    const FILEINFO& file = directory->dir_entry[i];
    if (!MY_S_ISDIR(file.mystat->st_mode)) continue;
    const std::string name = name_of(file.name);
    const bool is_systems = name == "mysql" || name == "performance_schema" || name == "sys";
    if (is_systems || !is_valid_name(name) || db_name_is_in_ignore_db_dirs_list(name.c_str()))
      continue;
    databases_.emplace_back(file.name);
  }
}

void DefinitionWalk::enter_next_database() {
  database_ = std::move(databases_.back());
  databases_.pop_back();
  const std::string path = std::string(mysql_data_home) + '/' + database_;
  const Directory directory(my_dir(path.c_str(), MYF(0)));
  if (directory == nullptr) return;
  for (size_t i = 0; i < directory->number_of_files; ++i) {
    const std::string_view file = directory->dir_entry[i].name;
    // Temporary tables of DDL begin with #.
    if (file.ends_with(kExtension) && !file.starts_with('#')) files_.emplace_back(file);
  }
}

std::vector<DefinitionWalk::Name> DefinitionWalk::go_on(size_t most) {
  std::vector<Name> found;
  for (; most > 0 && !is_over(); --most) {
    if (files_.empty()) {
      enter_next_database();
      continue;
    }
    std::string file = std::move(files_.back());
    files_.pop_back();
    if (!may_have_ttl(std::string(mysql_data_home) + '/' + database_ + '/' + file)) continue;
    file.resize(file.size() - kExtension.size());
    found.emplace_back(name_of(database_.c_str()), name_of(file.c_str()));
  }
  return found;
}

}  // namespace hs::mariadb
