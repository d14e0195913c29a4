// SPDX-License-Identifier: GPL-2.0-only
// Writes down what MySQL tells auditors of connections and tables, for the tests, as an audit plugin or as a
// component that tracks events. Each is told by the server on its own way:
//
//   INSTALL PLUGIN hs_audit_trail SONAME 'hs_audit_trail.so';
//   INSTALL COMPONENT 'file://hs_audit_trail';
//
// Each event is a line in the file `audit_trail` of the data directory, of fields with a tab behind each:
//
//   connect    number  user  host  ip  priv_user  proxy_user  kind  error   (also: prepare, disconnect)
//   read       number  user  host  ip  priv_user  command  database  table  (also: insert, update, delete)
//
// `user` and what follows it of a table is the user of the thread that the event comes from; `command` is
// SQL's number of it for a plugin, and 0 for a component. An event whose line has the text in the file
// `audit_trail.refused` in it is refused.
#include "mysql/server_headers.h"
// (before anything else)
#include <mysql/components/component_implementation.h>
#include <mysql/components/util/event_tracking/event_tracking_connection_consumer_helper.h>
#include <mysql/components/util/event_tracking/event_tracking_table_access_consumer_helper.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

template <class Text>
std::string_view text(const Text& name) {
  return name.str != nullptr ? std::string_view(name.str, name.length) : std::string_view();
}

class Line {
 public:
  Line& operator<<(std::string_view field) {
    line_ += field;
    line_ += '\t';
    return *this;
  }
  Line& operator<<(unsigned long long field) { return *this << std::to_string(field); }

  // True: the event is refused.
  bool write() {
    std::ofstream(file(""), std::ios::app) << line_ << std::endl;
    std::ifstream stream(file(".refused"));
    const std::string refused{std::istreambuf_iterator<char>(stream), {}};
    return !refused.empty() && line_.find(refused) != std::string::npos;
  }

 private:
  static std::string file(const char* end) {
    return std::string(mysql_real_data_home_ptr) + "audit_trail" + end;
  }

  std::string line_;
};

template <class Event>
bool note_connection(const Event& event) {
  Line line;
  switch (static_cast<int>(event.event_subclass)) {
    case MYSQL_AUDIT_CONNECTION_CONNECT:
      line << "connect";
      break;
    case MYSQL_AUDIT_CONNECTION_DISCONNECT:
      line << "disconnect";
      break;
    case MYSQL_AUDIT_CONNECTION_PRE_AUTHENTICATE:
      line << "prepare";
      break;
    default:
      line << "change";
  }
  line << event.connection_id << text(event.user) << text(event.host) << text(event.ip)
       << text(event.priv_user) << text(event.proxy_user);
  line << static_cast<unsigned>(event.connection_type) << static_cast<unsigned>(event.status);
  return line.write();
}

template <class Event>
bool note_table(const Event& event, unsigned command) {
  Line line;
  switch (static_cast<int>(event.event_subclass)) {
    case MYSQL_AUDIT_TABLE_ACCESS_READ:
      line << "read";
      break;
    case MYSQL_AUDIT_TABLE_ACCESS_INSERT:
      line << "insert";
      break;
    case MYSQL_AUDIT_TABLE_ACCESS_UPDATE:
      line << "update";
      break;
    default:
      line << "delete";
  }
  const Security_context& user = *current_thd->security_context();
  line << event.connection_id << text(user.user()) << text(user.host()) << text(user.ip())
       << text(user.priv_user()) << command << text(event.table_database) << text(event.table_name);
  return line.write();
}

// --- the plugin ---

int notify(MYSQL_THD, mysql_event_class_t event_class, const void* event) {
  if (event_class == MYSQL_AUDIT_CONNECTION_CLASS)
    return note_connection(*static_cast<const mysql_event_connection*>(event)) ? 1 : 0;
  const auto& access = *static_cast<const mysql_event_table_access*>(event);
  return note_table(access, static_cast<unsigned>(access.sql_command_id)) ? 1 : 0;
}

st_mysql_audit listener = {
    MYSQL_AUDIT_INTERFACE_VERSION,
    nullptr,
    notify,
    {0, MYSQL_AUDIT_CONNECTION_ALL, 0, 0, MYSQL_AUDIT_TABLE_ACCESS_ALL},
};

}  // namespace

// --- the component ---

namespace Event_tracking_implementation {

mysql_event_tracking_connection_subclass_t
    Event_tracking_connection_implementation::filtered_sub_events = 0;
bool Event_tracking_connection_implementation::callback(
    const mysql_event_tracking_connection_data* data) {
  return note_connection(*data);
}

mysql_event_tracking_table_access_subclass_t
    Event_tracking_table_access_implementation::filtered_sub_events = 0;
bool Event_tracking_table_access_implementation::callback(
    const mysql_event_tracking_table_access_data* data) {
  return note_table(*data, 0);
}

}  // namespace Event_tracking_implementation

IMPLEMENTS_SERVICE_EVENT_TRACKING_CONNECTION(hs_audit_trail);
IMPLEMENTS_SERVICE_EVENT_TRACKING_TABLE_ACCESS(hs_audit_trail);

BEGIN_COMPONENT_PROVIDES(hs_audit_trail)
PROVIDES_SERVICE_EVENT_TRACKING_CONNECTION(hs_audit_trail),
    PROVIDES_SERVICE_EVENT_TRACKING_TABLE_ACCESS(hs_audit_trail), END_COMPONENT_PROVIDES();

BEGIN_COMPONENT_REQUIRES(hs_audit_trail)
END_COMPONENT_REQUIRES();

BEGIN_COMPONENT_METADATA(hs_audit_trail)
METADATA("mysql.license", "GPL"), END_COMPONENT_METADATA();

DECLARE_COMPONENT(hs_audit_trail, "hs_audit_trail") nullptr, nullptr END_DECLARE_COMPONENT();

DECLARE_LIBRARY_COMPONENTS& COMPONENT_REF(hs_audit_trail) END_DECLARE_LIBRARY_COMPONENTS

    mysql_declare_plugin(hs_audit_trail){
        MYSQL_AUDIT_PLUGIN,
        &listener,
        "hs_audit_trail",
        "HandlerSocket 2",
        "Writes down what auditors are told",
        PLUGIN_LICENSE_GPL,
        nullptr,
        nullptr,
        nullptr,
        0x0200,
        nullptr,
        nullptr,
        nullptr,
        0,
    } mysql_declare_plugin_end;
