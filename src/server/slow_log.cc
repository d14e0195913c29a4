#include "server/slow_log.h"

#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "server/thread.h"

namespace hs::server {
namespace {

constexpr int64_t kLookEveryMs = 1000;
constexpr int64_t kSecondInMs = 1000;

// The names of accounts, which clients choose where there is an anonymous one, and of tables may
// have line feeds. Behind one a name could pass for an entry.
std::string on_one_line(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return name;
}

// A name between backquotes.
std::string quoted(const std::string& name) {
  std::string text = "`";
  for (const char c : on_one_line(name)) {
    if (c == '`') text += '`';
    text += c;
  }
  return text + '`';
}

// The host without its port, and without what would be a second word.
std::string host_name(const std::string& host) {
  const size_t port = host.rfind(':');
  std::string name = host.substr(0, port);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name.empty() ? "unknown" : name;
}

std::string seconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", static_cast<double>(std::max<int64_t>(ns, 0)) / 1e9);
  return text;
}

bool ends_with_name(const std::string& path, std::string_view name) {
  return path.size() >= name.size() &&
         ::strncasecmp(path.data() + path.size() - name.size(), name.data(), name.size()) == 0;
}

bool is_in_working_directory(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  const std::filesystem::path place = std::filesystem::weakly_canonical(here / path, failed);
  const std::filesystem::path from_here = place.lexically_relative(here);
  return !failed && !from_here.empty() && *from_here.begin() != "..";
}

// What is wrong with the path; empty: nothing. As the server's own rule for its log files. But the
// database has files of its own in its directory, and makes more of them, so none of their names is
// taken there.
std::string complaint_of_path(const std::string& path) {
  constexpr size_t kLongestPath = 512;
  if (path.size() > kLongestPath) {
    return "the path has more than " + std::to_string(kLongestPath) + " bytes";
  }
  if (ends_with_name(path, "my.cnf") || ends_with_name(path, "my.ini")) {
    return "the server would read it as an option file";
  }
  if (!path.empty() && !path.ends_with(".log") && is_in_working_directory(path)) {
    return "a name in the data directory must end in .log";
  }
  return {};
}

// Whether the file may be appended to: it is empty, or a slow log, which may have been cut off at its
// beginning. Files of the system, as in /proc, say that they are empty, and are not.
bool holds_slow_log(const std::string& path) {
  const net::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char bytes[4096];
  const ssize_t size = file ? ::read(file.get(), bytes, sizeof bytes) : -1;
  if (size <= 0) return size == 0;
  const std::string text = "\n" + std::string(bytes, static_cast<size_t>(size));
  return text.find("\n# Time: ") != std::string::npos ||
         text.find("\n# User@Host: ") != std::string::npos;
}

// /dev/null and /dev/full. For another device, such as /dev/mem, bytes have a meaning, and with some
// to open it has.
bool takes_any_bytes(const struct stat& device) {
  const bool is_memory = major(device.st_rdev) == 1;
  return is_memory && (minor(device.st_rdev) == 3 || minor(device.st_rdev) == 7);
}

}  // namespace

std::string slow_log_text(const SlowRequest& request, std::time_t when, SlowLogConfig::Form form) {
  const bool is_mysql = form == SlowLogConfig::Form::kMysql;
  std::tm parts{};
  char time[48];
  if (is_mysql) {
    ::gmtime_r(&when, &parts);
    std::strftime(time, sizeof time, "# Time: %Y-%m-%dT%H:%M:%S.000000Z\n", &parts);
  } else {
    ::localtime_r(&when, &parts);
    std::snprintf(time, sizeof time, "# Time: %02d%02d%02d %2d:%02d:%02d\n", parts.tm_year % 100,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  }
  const std::string user = request.user.empty() ? "handlersocket" : on_one_line(request.user);
  const bool changes = request.kind != RequestKind::kFind && request.kind != RequestKind::kOther;
  const std::string rows = std::to_string(request.rows);
  std::string text = time;
  text += "# User@Host: " + user + "[" + user + "] @ " + host_name(request.host) + " []";
  const std::string connection = std::to_string(request.connection);
  if (is_mysql) {
    text += "  Id: " + connection + "\n";
  } else {
    text += "\n# Thread_id: " + connection + "  Schema: " + on_one_line(request.database) +
            "  QC_hit: No\n";
  }
  text += "# Query_time: " + seconds(request.took_ns) +
          "  Lock_time: " + seconds(request.waited_ns) + "  Rows_sent: " + (changes ? "0" : rows) +
          "  Rows_examined: " + rows + "\n";
  if (!is_mysql) text += "# Rows_affected: " + (changes ? rows : "0") + "  Bytes_sent: 0\n";
  text += "SET timestamp=" + std::to_string(when) + ";\n";
  text += name_of(request.kind);
  if (!request.table.empty()) {
    text += " " + quoted(request.database) + "." + quoted(request.table) + " by " +
            quoted(request.index.empty() ? "PRIMARY" : request.index);
  }
  if (request.in_transaction) text += " in transaction";
  if (request.failed) text += " failed";
  return text + ";\n";
}

SlowLog::SlowLog(const SlowLogConfig& config, const Log& log)
    : log_(log),
      form_(config.form),
      on_(config.on),
      threshold_ns_(config.threshold_ns),
      path_(config.file) {
  const MutexLock lock(mutex_);
  queue_.reserve(kMostQueued);
}

SlowLog::~SlowLog() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void SlowLog::start() {
  thread_ = start_thread("hs-slow-log", [this] { run(); });
}

bool SlowLog::takes_one() {
  slow_.fetch_add(1, std::memory_order_relaxed);
  const int64_t second = monotonic_ms() / kSecondInMs;
  {
    const MutexLock lock(mutex_);
    if (second != second_) {
      second_ = second;
      taken_ = 0;
    }
    if (taken_ < kMostPerSecond && queue_.size() < kMostQueued) {
      ++taken_;
      return true;
    }
  }
  drop();
  return false;
}

void SlowLog::add(SlowRequest request) {
  const std::time_t now = std::time(nullptr);
  const MutexLock lock(mutex_);
  if (queue_.size() >= kMostQueued) return drop();
  queue_.push_back({now, std::move(request)});
  if (queue_.size() == 1) changed_.notify_one();
}

void SlowLog::run() {
  std::vector<Entry> taken;
  taken.reserve(kMostQueued);
  for (bool stop = false; !stop;) {
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stop_) changed_.wait(lock);
      stop = stop_;
      taken.swap(queue_);
    }
    try {
      if (!taken.empty()) write(taken);
    } catch (const std::bad_alloc&) {
      dropped_.fetch_add(taken.size(), std::memory_order_relaxed);
    }
    taken.clear();
  }
}

void SlowLog::write(const std::vector<Entry>& entries) {
  if (!open_file()) {
    dropped_.fetch_add(entries.size(), std::memory_order_relaxed);
    return;
  }
  for (const Entry& entry : entries) {
    const std::string text = slow_log_text(entry.request, entry.when, form_);
    const ssize_t size = ::write(file_.descriptor.get(), text.data(), text.size());
    if (size == static_cast<ssize_t>(text.size())) {
      complained_ = false;
      continue;
    }
    complain(size < 0 ? std::generic_category().message(errno) : "not all of an entry was taken");
    // An entry that is there in part spoils the next one, too, so a new line ends it.
    if (size > 0) (void)!::write(file_.descriptor.get(), ";\n", 2);
    drop();
  }
}

// Opens the file, and another one when the path names another by now, as after a rotation.
bool SlowLog::open_file() {
  std::string path;
  {
    const MutexLock lock(mutex_);
    path = path_;
    if (next_file_) {
      file_ = std::move(*next_file_);
      next_file_.reset();
      looked_ms_ = monotonic_ms();
      complained_ = false;
    }
  }
  const int64_t now_ms = monotonic_ms();
  if (file_.descriptor && now_ms - looked_ms_ < kLookEveryMs) return true;
  looked_ms_ = now_ms;
  struct stat about {};
  if (file_.descriptor && ::stat(path.c_str(), &about) == 0 && about.st_dev == file_.device &&
      about.st_ino == file_.number) {
    return true;
  }
  file_ = File();
  std::string error;
  if (open(path, &file_, &error)) return true;
  complain(error);
  return false;
}

// One line in the error log for each time that the log stops working.
void SlowLog::complain(const std::string& what) {
  if (std::exchange(complained_, true)) return;
  std::string path;
  {
    const MutexLock lock(mutex_);
    path = path_;
  }
  log_.error("cannot write " + path + " (handlersocket_slow_log_file): " + what);
}

bool SlowLog::open(const std::string& path, File* file, std::string* error) {
  constexpr mode_t kMode = 0640;
  *error = complaint_of_path(path);
  if (!error->empty()) return false;
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && S_ISCHR(about.st_mode) && !takes_any_bytes(about)) {
    *error = "of the devices only /dev/null and /dev/full take a log";
    return false;
  }
  // O_NONBLOCK: a FIFO would hold up the thread until it is read.
  net::FileDescriptor opened(::open(
      path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, kMode));
  if (!opened || ::fstat(opened.get(), &about) != 0) {
    *error = std::generic_category().message(errno);
    return false;
  }
  if (!S_ISREG(about.st_mode) && !(S_ISCHR(about.st_mode) && takes_any_bytes(about))) {
    *error = "it is no regular file";
    return false;
  }
  if (S_ISREG(about.st_mode) && about.st_nlink == 0) {
    *error = "it was deleted";
    return false;
  }
  if (S_ISREG(about.st_mode) && !holds_slow_log(path)) {
    *error = "it is no slow log, and not empty";
    return false;
  }
  *file = {std::move(opened), about.st_dev, about.st_ino};
  return true;
}

bool SlowLog::set_file(const std::string& path, std::string* error) {
  File opened;
  if (!open(path, &opened, error)) {
    *error = "cannot write " + path + ": " + *error;
    return false;
  }
  const MutexLock lock(mutex_);
  path_ = path;
  next_file_ = std::move(opened);
  return true;
}

}  // namespace hs::server
