// Drives the unchanged client libhsclient: driver HOST PORT PORT_WR TABLE.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <hstcpcli.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using dena::string_ref;

// A value: bytes, or NULL.
struct Value {
  bool null = false;
  std::string bytes;
  Value(const char* text) : bytes(text) {}
  Value(std::string text) : bytes(std::move(text)) {}
  Value(std::nullptr_t) : null(true) {}
  string_ref ref() const { return null ? string_ref() : string_ref(bytes.data(), bytes.size()); }
};

using Row = std::vector<Value>;
using Rows = std::vector<Row>;

// What the server answered: "0" and the rows, or the code and the text of an error.
struct Answer {
  int code = 0;
  std::string text;
  Rows rows;
};

std::string show(const Answer& answer) {
  std::string text = std::to_string(answer.code) + ' ' + answer.text;
  for (const Row& row : answer.rows) {
    text += '[';
    for (const Value& value : row) {
      text += value.null ? "NULL," : '"' + value.bytes + "\",";
    }
    text += ']';
  }
  return text;
}

void expect(const char* what, const Answer& got, const Answer& wanted) {
  if (show(got) != show(wanted)) {
    throw std::runtime_error(std::string(what) + ": got " + show(got) + " instead of " +
                             show(wanted));
  }
}

Answer rows(Rows wanted) { return {0, "", std::move(wanted)}; }
Answer counted(const char* number) { return rows({{number}}); }
Answer failed(int code, const char* text) { return {code, text, {}}; }

class Client {
 public:
  Client(const std::string& host, const std::string& port) {
    dena::config options;
    options["host"] = host;
    options["port"] = port;
    dena::socket_args arguments;
    arguments.set(options);
    client_ = dena::hstcpcli_i::create(arguments);
    if (client_->get_error_code() != 0) {
      throw std::runtime_error("connect: " + client_->get_error());
    }
  }

  Answer open(unsigned id, const char* table, const char* index, const char* columns,
              const char* filter_columns = nullptr) {
    add_open(id, table, index, columns, filter_columns);
    return send_and_receive();
  }

  Answer insert(unsigned id, const Row& values) {
    add(id, "+", values, 0, 0);
    return send_and_receive();
  }

  Answer find(unsigned id, const char* op, const Row& key, unsigned limit = 1, unsigned skip = 0) {
    add(id, op, key, limit, skip);
    return send_and_receive();
  }

  Answer update(unsigned id, const Row& key, const Row& values) {
    add(id, "=", key, 1, 0, "U", values);
    return send_and_receive();
  }

  Answer erase(unsigned id, const Row& key) {
    add(id, "=", key, 1, 0, "D");
    return send_and_receive();
  }

  // The parts, for several requests in one write.
  void add_open(unsigned id, const char* table, const char* index, const char* columns,
                const char* filter_columns = nullptr) {
    client_->request_buf_open_index(id, "test", table, index, columns, filter_columns);
  }

  void add(unsigned id, const std::string& op, const Row& key, unsigned limit, unsigned skip,
           const std::string& modify = "", const Row& values = {}) {
    const std::vector<string_ref> keys = refs(key), changes = refs(values);
    client_->request_buf_exec_generic(
        id, string_ref(op.data(), op.size()), keys.data(), keys.size(), limit, skip,
        modify.empty() ? string_ref() : string_ref(modify.data(), modify.size()), changes.data(),
        changes.size(), nullptr, 0, -1, nullptr, 0);
  }

  void send() {
    if (client_->request_send() < 0) {
      throw std::runtime_error("send: " + client_->get_error());
    }
  }

  Answer receive() {
    Answer answer;
    size_t columns = 0;
    answer.code = client_->response_recv(columns);
    if (answer.code < 0) {
      throw std::runtime_error("receive: " + client_->get_error());
    }
    if (answer.code > 0) {
      answer.text = client_->get_error();
    } else {
      while (const string_ref* row = client_->get_next_row()) {
        answer.rows.emplace_back();
        for (size_t i = 0; i < columns; ++i) {
          answer.rows.back().push_back(row[i].begin() == nullptr
                                           ? Value(nullptr)
                                           : Value(std::string(row[i].begin(), row[i].size())));
        }
      }
    }
    client_->response_buf_remove();
    return answer;
  }

 private:
  static std::vector<string_ref> refs(const Row& values) {
    std::vector<string_ref> refs;
    for (const Value& value : values) {
      refs.push_back(value.ref());
    }
    return refs;
  }

  Answer send_and_receive() {
    send();
    return receive();
  }

  dena::hstcpcli_ptr client_;
};

void drive(const std::string& host, const std::string& port, const std::string& port_wr,
           const char* table) {
  const Row one{"1", "alice", nullptr, "10"}, two{"2", "bob", "", "20"},
      three{"3", "h\xc3\xa9\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80", "\xc3\xbcn\xc3\xaf", "30"},
      four{"4", "bytes",
           std::string("a\tb\nc\0d\x01"
                       "e",
                       9),
           "40"},
      five{"5", "bob", "second bob", "50"};
  const char* columns = "id,name,note,n";
  Client reader(host, port), writer(host, port_wr);
  expect("open to read", reader.open(1, table, "PRIMARY", columns), rows({}));
  expect("open to write", writer.open(1, table, "PRIMARY", columns), rows({}));
  expect("open by name", reader.open(2, table, "name_idx", "id,name", "n"), rows({}));

  for (const Row& row : {one, two, three, four, five}) {
    expect("insert", writer.insert(1, row), rows({}));
  }
  expect("duplicate key", writer.insert(1, one), failed(1, "121"));

  for (const Row& row : {one, two, three, four, five}) {
    expect("exact", reader.find(1, "=", {row[0]}), rows({row}));
    expect("exact on the write port", writer.find(1, "=", {row[0]}), rows({row}));
  }
  expect("not found", reader.find(1, "=", {"99"}), rows({}));
  expect("range", reader.find(1, ">=", {"2"}, 10), rows({two, three, four, five}));
  expect("limit and offset", reader.find(1, ">", {"2"}, 2, 1), rows({four, five}));
  expect("descending", reader.find(1, "<=", {"3"}, 10), rows({three, two, one}));
  expect("descending with limit", reader.find(1, "<", {"3"}, 1), rows({two}));
  expect("no limit is one row", reader.find(1, ">=", {"1"}, 0), rows({one}));
  expect("offset without limit", reader.find(1, ">=", {"1"}, 0, 1), rows({two}));
  expect("secondary index", reader.find(2, "=", {"bob"}, 10), rows({{"2", "bob"}, {"5", "bob"}}));
  expect("secondary index, not found", reader.find(2, "=", {"nobody"}), rows({}));
  expect("secondary index, NULL", reader.find(2, "=", {nullptr}, 10), rows({}));

  const Row robert{"2", "robert", nullptr, "21"}, empty{"5", "bob", "", "51"};
  expect("update", writer.update(1, {"2"}, robert), counted("1"));
  expect("updated", reader.find(1, "=", {"2"}), rows({robert}));
  expect("update of nothing", writer.update(1, {"99"}, {"99", "x", "", "0"}), counted("0"));
  expect("update to the empty string", writer.update(1, {"5"}, empty), counted("1"));
  expect("updated by name", reader.find(2, "=", {"bob"}, 10), rows({{"5", "bob"}}));
  expect("delete", writer.erase(1, {"4"}), counted("1"));
  expect("delete of nothing", writer.erase(1, {"4"}), counted("0"));
  expect("deleted", reader.find(1, "=", {"4"}), rows({}));

  expect("write on the read port", reader.insert(1, four), failed(2, "readonly"));
  expect("unknown table", reader.open(3, "no_such_table", "PRIMARY", "id"),
         failed(1, "open_table"));
  expect("unknown index", reader.open(3, table, "no_such_index", "id"), failed(2, "idxnum"));
  expect("unknown column", reader.open(3, table, "PRIMARY", "no_such_column"), failed(2, "fld"));
  expect("unknown index id", reader.find(77, "=", {"1"}), failed(2, "stmtnum"));

  // One write with the opening of an index, requests that use it, and a wrong one between them.
  Client pipeline(host, port);
  pipeline.add_open(5, table, "PRIMARY", "id,note");
  pipeline.add(5, "=", {"5"}, 1, 0);
  pipeline.add(6, "=", {"5"}, 1, 0);
  pipeline.add(5, "<", {"3"}, 9, 0);
  pipeline.send();
  expect("pipeline: open", pipeline.receive(), rows({}));
  expect("pipeline: find", pipeline.receive(), rows({{"5", ""}}));
  expect("pipeline: unknown index id", pipeline.receive(), failed(2, "stmtnum"));
  expect("pipeline: find after the error", pipeline.receive(),
         rows({{"2", nullptr}, {"1", nullptr}}));
}

void give_up(int) {
  static const char text[] = "no answer within 60 seconds\n";
  if (write(STDOUT_FILENO, text, sizeof(text) - 1)) {
  }
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::puts("usage: driver HOST PORT PORT_WR TABLE");
    return 2;
  }
  signal(SIGALRM, give_up);
  alarm(60);
  try {
    drive(argv[1], argv[2], argv[3], argv[4]);
  } catch (const std::exception& difference) {
    std::puts(difference.what());
    return 1;
  }
  std::puts("ok cpp libhsclient of MariaDB 10.11.18");
  return 0;
}
