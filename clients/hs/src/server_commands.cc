// describe, indexes, ping, raw and wait-gtid.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "commands.h"
#include "full_name.h"
#include "interrupt.h"
#include "records.h"
#include "screen.h"

namespace hs::tool {
namespace {

class Describe : public Command {
 public:
  void declare(CLI::App& app) override {
    name_ = app.add_option("NAME", "DATABASE, DATABASE.TABLE, or nothing: all databases");
  }
  Status run(Session& session, const Common& common) override {
    const std::string name = text(name_);
    if (name.empty()) return Session::print(common, session.server().databases());
    const FullName parts = full_name_of(name);
    return Session::print(common, parts.database.empty() ? session.server().tables(parts.table)
                                                         : session.server().describe(name));
  }

 private:
  CLI::Option* name_ = nullptr;
};

class Indexes : public Command {
 public:
  void declare(CLI::App& app) override {
    table_ = app.add_option("TABLE", "DATABASE.TABLE")->required();
  }
  Status run(Session& session, const Common& common) override {
    return Session::print(common, session.server().indexes(session.table(text(table_))));
  }

 private:
  CLI::Option* table_ = nullptr;
};

class Ping : public Command {
 public:
  void declare(CLI::App& app) override { app.add_flag("--write", write_, "Ask the write port"); }
  Status run(Session& session, const Common& common) override {
    using Clock = std::chrono::steady_clock;
    session.server().hello(write_);  // connects
    const auto before = Clock::now();
    const auto told = session.server().hello(write_);
    const std::chrono::duration<double, std::milli> took = Clock::now() - before;
    const std::string time = fmt::format("{:.3f}", took.count());
    const Rows rows = {
        {{"product"}, {"version"}, {"server"}, {"features"}, {"milliseconds", Kind::number}},
        {{told[0], told[1], told[2], told[3], time}}};
    const std::string there =
        told[1] ? fmt::format(" {} in {}", *told[1], told[2].value_or("")) : "";
    const std::string sentence = fmt::format("{}{} answers in {} ms{}", told[0].value_or(""), there,
                                             time, told[1] ? "" : ", and asks for a login");
    Session::write(common.format.empty() ? shown(sentence) + "\n"
                                         : as_text(Session::look(common), rows));
    return done;
  }

 private:
  bool write_ = false;
};

class Raw : public Command {
 public:
  void declare(CLI::App& app) override {
    tokens_ =
        add_words(app, "TOKEN", "The tokens of one line; none: lines from the standard input");
    app.add_flag("--write", write_, "Send it to the write port");
  }
  Status run(Session& session, const Common& common) override {
    (void)common;
    if (const auto tokens = texts(tokens_); !tokens.empty()) return send(session, tokens);
    session.take_input();
    Status worst = done;
    Records lines("-", Format::tsv);
    for (std::string line; lines.next_line(line);) {
      throw_if_interrupted();
      const Status status = send(session, split(line));
      if (status != done) worst = status;
    }
    return worst;
  }

 private:
  static std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> tokens;
    for (size_t at = 0; at <= line.size();) {
      const size_t end = std::min(line.find('\t', at), line.size());
      tokens.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    return tokens;
  }

  // On a terminal nothing of the reply is obeyed; elsewhere it is what came.
  Status send(Session& session, const std::vector<std::string>& tokens) const {
    const std::string reply = session.server().raw(write_, tokens);
    std::string visible;
    if (::isatty(STDOUT_FILENO) == 1) {
      for (const std::string& token : split(reply)) {
        visible += (visible.empty() ? "" : "\t") + shown(token);
      }
    } else {
      visible = reply;
    }
    Session::write(visible + "\n");
    return reply.rfind("0\t", 0) == 0 ? done : refused;
  }

  CLI::Option* tokens_ = nullptr;
  bool write_ = false;
};

class WaitGtid : public Command {
 public:
  void declare(CLI::App& app) override {
    gtids_ = app.add_option("GTIDS", "One for each domain, with commas")->required();
    app.add_option("-s,--seconds", seconds_, "How long to wait [10]")
        ->check(CLI::Range(0.0, 600.0).description(""))
        ->type_name("SECONDS");
  }
  Status run(Session& session, const Common& common) override {
    const bool applied = session.server().wait_for_gtid(text(gtids_), seconds_);
    const Rows outcome = {{{"applied", Kind::number}}, {{applied ? "1" : "0"}}};
    Session::write(common.format.empty() ? (applied ? "applied\n" : "not applied\n")
                                         : as_text(Session::look(common), outcome));
    return applied ? done : nothing;
  }

 private:
  CLI::Option* gtids_ = nullptr;
  double seconds_ = 10;
};

}  // namespace

std::unique_ptr<Command> make_describe() { return std::make_unique<Describe>(); }
std::unique_ptr<Command> make_indexes() { return std::make_unique<Indexes>(); }
std::unique_ptr<Command> make_ping() { return std::make_unique<Ping>(); }
std::unique_ptr<Command> make_raw() { return std::make_unique<Raw>(); }
std::unique_ptr<Command> make_wait_gtid() { return std::make_unique<WaitGtid>(); }

}  // namespace hs::tool
