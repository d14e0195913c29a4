// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/definition_news.h"
// (before anything else)
#include <sql_table.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include "mariadb/directory.h"
#include "mariadb/names.h"

namespace hs::mariadb {
namespace {

constexpr std::string_view kExtension = ".frm";
constexpr size_t kMostBytes = 1u << 20;  // of a file that are looked at
constexpr size_t kMostFiles = 500;       // that are read in one look: some 20 µs each
constexpr size_t kVeryMany = 4000;       // files of a database
// The system stamps files with a clock that goes in steps of some milliseconds. What was stamped
// shortly before it was looked at may be stamped alike when it changes again.
constexpr int64_t kStep = 100'000'000;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

int64_t in_ns(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return in_ns(time);
}

std::string path_of(const std::string& directory) {
  return std::string(mysql_data_home) + '/' + directory;
}

std::string name_of(std::string_view file) {
  char name[SAFE_NAME_LEN + 1];
  filename_to_tablename(std::string(file).c_str(), name, sizeof name, true);
  return name;
}

DefinitionNews::Name name_of(const std::string& directory, std::string_view file) {
  file.remove_suffix(kExtension.size());
  return {name_of(directory), name_of(file)};
}

bool is_new(int64_t changed, int64_t known, int64_t looked) {
  return looked == 0 || changed != known || changed >= looked - kStep;
}

// The comment stands in the file as it is.
struct Marks {
  bool is_marked = false;
  bool has_ttl = false;
};
Marks marks_of(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  struct stat found {};
  if (file == nullptr || fstat(fileno(file.get()), &found) != 0) return {};
  std::string bytes(std::min(kMostBytes, static_cast<size_t>(std::max<off_t>(found.st_size, 0))),
                    '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  const size_t mark = bytes.find("hs:");
  if (mark == std::string::npos) return {};
  return {true, bytes.find("ttl=", mark) != std::string::npos};
}

}  // namespace

DefinitionNews& definition_news() {
  static DefinitionNews news;
  return news;
}

void DefinitionNews::look(bool thorough, mapping::TableNews& news) {
  const MutexLock lock(mutex_);
  list_databases();
  for (const std::string& directory : std::exchange(gone_, {})) {
    const auto at = databases_.find(directory);
    if (at == databases_.end()) continue;
    for (const std::string& file : at->second.marked) news.gone.push_back(name_of(directory, file));
    databases_.erase(at);
  }
  size_t most = kMostFiles;
  for (auto& [directory, database] : databases_) {
    if (!thorough || database.files < kVeryMany) list(directory, database, news);
    for (; most > 0 && !database.to_read.empty(); --most)
      read(directory, database, database.to_read.extract(database.to_read.begin()).value(), news);
    if (most == 0) return;
  }
}

void DefinitionNews::list_databases() {
  struct stat home {};
  if (stat(mysql_data_home, &home) != 0) return;
  if (!is_new(in_ns(home.st_mtim), home_changed_, home_listed_)) return;
  home_listed_ = now();
  home_changed_ = in_ns(home.st_mtim);
  const Directory listing(my_dir(mysql_data_home, MYF(MY_WANT_STAT)));
  if (listing == nullptr) return;
  std::set<std::string> there;
  for (size_t i = 0; i < listing->number_of_files; ++i) {
    const FILEINFO& file = listing->dir_entry[i];
    if (!MY_S_ISDIR(file.mystat->st_mode)) continue;
    const std::string name = name_of(file.name);
    const bool is_systems = name == "mysql" || name == "performance_schema" || name == "sys";
    if (is_systems || !is_valid_name(name) || db_name_is_in_ignore_db_dirs_list(name.c_str()))
      continue;
    there.emplace(file.name);
    databases_.try_emplace(file.name);
  }
  for (const auto& [directory, database] : databases_)
    if (!there.contains(directory)) gone_.push_back(directory);
}

void DefinitionNews::list(const std::string& directory, Database& database,
                          mapping::TableNews& news) {
  struct stat found {};
  const std::string path = path_of(directory);
  if (stat(path.c_str(), &found) != 0) return;
  if (!is_new(in_ns(found.st_mtim), database.changed, database.listed)) return;
  const Time before = std::exchange(database.listed, now());
  database.changed = in_ns(found.st_mtim);
  const Directory listing(my_dir(path.c_str(), MYF(0)));
  if (listing == nullptr) return;
  std::set<std::string> unseen = database.marked;
  database.files = listing->number_of_files;
  for (size_t i = 0; i < listing->number_of_files; ++i) {
    const std::string_view file = listing->dir_entry[i].name;
    // Temporary tables of DDL begin with #.
    if (!file.ends_with(kExtension) || file.starts_with('#')) continue;
    unseen.erase(std::string(file));
    struct stat one {};
    if (stat((path + '/').append(file).c_str(), &one) != 0) continue;
    if (before == 0 || in_ns(one.st_ctim) >= before - kStep) database.to_read.emplace(file);
  }
  for (const std::string& file : unseen) {
    database.marked.erase(file);
    news.gone.push_back(name_of(directory, file));
  }
}

void DefinitionNews::read(const std::string& directory, Database& database, const std::string& file,
                          mapping::TableNews& news) {
  const Marks marks = marks_of(path_of(directory) + '/' + file);
  const bool was_marked = database.marked.contains(file);
  if (!marks.is_marked && !was_marked) return;
  Name name = name_of(directory, file);
  if (marks.is_marked) {
    database.marked.insert(file);
  } else {
    database.marked.erase(file);
  }
  if (marks.has_ttl) with_ttl_.push_back(name);
  news.changed.push_back(std::move(name));
}

std::vector<DefinitionNews::Name> DefinitionNews::take_with_ttl(size_t most) {
  const MutexLock lock(mutex_);
  const size_t count = std::min(most, with_ttl_.size());
  std::vector<Name> taken(with_ttl_.end() - static_cast<ptrdiff_t>(count), with_ttl_.end());
  with_ttl_.resize(with_ttl_.size() - count);
  return taken;
}

void DefinitionNews::begin_again() {
  const MutexLock lock(mutex_);
  home_listed_ = 0;
  for (auto& [directory, database] : databases_) database.listed = 0;
}

}  // namespace hs::mariadb
