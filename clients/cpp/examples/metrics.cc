// A hook that counts calls, errors and seconds, as Prometheus reads them: metrics URL, with the table
// test.user of docs/protocol.md.
#include <handlersocket2.hpp>
#include <iostream>
#include <map>
#include <mutex>

namespace {

class Metrics {
 public:
  void count(std::string_view kind, double seconds, bool failed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Counts& counts = of_[std::string(kind)];
    counts.calls++;
    counts.errors += failed ? 1 : 0;
    counts.seconds += seconds;
  }
  void print(std::ostream& out) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [kind, counts] : of_) {
      const std::string label = "{kind=\"" + kind + "\"} ";
      out << "handlersocket_client_calls_total" << label << counts.calls << "\n"
          << "handlersocket_client_errors_total" << label << counts.errors << "\n"
          << "handlersocket_client_seconds_total" << label << counts.seconds << "\n";
    }
  }

 private:
  struct Counts {
    unsigned long calls = 0, errors = 0;
    double seconds = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Counts> of_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  Metrics metrics;
  hs::Client client(argv[1]);
  client.on_request(
      [&](std::string_view kind, std::string_view, double seconds, const hs::Error* error) {
        metrics.count(kind, seconds, error != nullptr);
      });
  const hs::Table user = client.table("test.user", {"user_name"});
  for (int i = 0; i < 3; i++) user.get({101});
  try {
    client.table("test.user", {"nosuch"}).get({101});
  } catch (const hs::NotFoundError&) {
  }
  metrics.print(std::cout);
  return 0;
} catch (const hs::Error& error) {
  std::cerr << error.name() << ": " << error.what() << "\n";
  return 1;
}
