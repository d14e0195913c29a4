// top: what the server does now, over its SQL port.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "commands.h"
#include "interrupt.h"
#include "screen.h"
#include "sql.h"
#include "sql_place.h"
#include "top_figures.h"

namespace hs::tool {
namespace {

uint64_t number(const Cell& cell) { return std::strtoull(cell.value_or("0").c_str(), nullptr, 10); }

Counts counted(Sql& sql) {
  Counts counts;
  for (const Row& row : sql.ask("SHOW GLOBAL STATUS LIKE 'Handlersocket\\_%'")) {
    counts.status[row.at(0).value_or("").substr(sizeof "Handlersocket_" - 1)] = number(row.at(1));
  }
  if (counts.status.empty())
    throw SqlError("the plugin is not loaded: hs doctor tells what to do", false);
  for (const Row& row : sql.ask("SELECT MODE, KIND, LESS_THAN_US, REQUESTS FROM "
                                "information_schema.HANDLERSOCKET_LATENCY_BUCKETS")) {
    const double microseconds = std::strtod(row.at(2).value_or("").c_str(), nullptr);
    const auto nanoseconds = static_cast<uint64_t>(std::llround(microseconds * 1000));
    counts.latency[{row.at(0).value_or(""), row.at(1).value_or("")}][nanoseconds] =
        number(row.at(3));
  }
  for (const Row& row : sql.ask("SELECT MODE, STATE, COUNT(*) FROM "
                                "information_schema.HANDLERSOCKET_CONNECTIONS GROUP BY 1, 2")) {
    counts.connections[{row.at(0).value_or(""), row.at(1).value_or("")}] = number(row.at(2));
  }
  for (const Row& row :
       sql.ask("SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME), SUM(REQUESTS), "
               "SUM(`ROWS`) FROM information_schema.HANDLERSOCKET_INDEXES GROUP BY 1")) {
    counts.tables[row.at(0).value_or("")] = {number(row.at(1)), number(row.at(2))};
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  counts.at = std::chrono::duration<double>(now).count();
  return counts;
}

class Top : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("-s,--seconds", seconds_, "Between two pages [2]")
        ->check(CLI::Range(0.1, 3600.0).description(""))
        ->type_name("SECONDS");
    app.add_option("-n,--times", times_, "How many pages; 0: until Ctrl-C [0]")->type_name("N");
    app.add_option("--tables", tables_, "How many tables at most [10]")->type_name("N");
    place_.declare(app);
  }

  Status run(Session& session, const Common& common) override {
    (void)common;
    const Options place = place_.options(session.settings());
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    const bool colour = wants_colour(STDOUT_FILENO);
    std::optional<Sql> sql(std::in_place, place);
    std::optional<Counts> before = counted(*sql);
    for (uint64_t turn = 1;; turn++) {
      pause(seconds_);
      if (is_interrupted()) return done;
      std::string text;
      try {
        if (!sql) sql.emplace(place);
        Counts now = counted(*sql);
        text = before ? page(*before, now, tables_, colour) : "the server answers again\n";
        before = std::move(now);
      } catch (const SqlError& error) {
        if (turn == times_) throw;
        // A server that has restarted counts anew.
        sql.reset();
        before.reset();
        text = fmt::format("{}; trying again\n", error.what());
      }
      Session::write(terminal ? "\x1b[H\x1b[2J" + text : text + "\n");
      if (turn == times_) return done;
    }
  }

 private:
  double seconds_ = 2;
  uint64_t times_ = 0;
  size_t tables_ = 10;
  SqlPlace place_;
};

}  // namespace

std::unique_ptr<Command> make_top() { return std::make_unique<Top>(); }

}  // namespace hs::tool
