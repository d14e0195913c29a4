#include "report.h"

#include <array>
#include <iomanip>
#include <sstream>

namespace hs::bench {

namespace {

struct Percentile {
  const char* name;
  double percent;
};

constexpr std::array<Percentile, 4> kPercentiles = {
    {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}}};

// The points of a latency curve.
constexpr std::array kCurve = {0.0,  10.0, 20.0, 30.0, 40.0, 50.0, 60.0,  70.0,  75.0,
                               80.0, 85.0, 90.0, 92.5, 95.0, 96.0, 97.0,  98.0,  98.5,
                               99.0, 99.3, 99.5, 99.7, 99.8, 99.9, 99.95, 99.97, 99.99};

double microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

double answers(const Report& report) { return static_cast<double>(report.tally.answers()); }
double rows(const Report& report) { return static_cast<double>(report.tally.rows); }

double per_second(const Report& report, double count) {
  return report.tally.seconds > 0 ? count / report.tally.seconds : 0;
}

double cpu_us(const Report& report, double count) {
  return count > 0 ? report.server_cpu_seconds.value_or(0) * 1e6 / count : 0;
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << '"' << std::hex << std::setfill('0');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      out << "\\u" << std::setw(4) << static_cast<unsigned>(byte);
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

}  // namespace

std::string as_text(const Report& report) {
  const Tally& tally = report.tally;
  const bool has_ranges = tally.rows > tally.answers();
  std::ostringstream out;
  out << std::fixed << report.target << ", " << report.workload << ", " << report.connections
      << " connections, depth " << report.depth << ": " << tally.answers() << " requests in "
      << std::setprecision(2) << tally.seconds << " s, " << tally.errors << " errors\n"
      << std::setprecision(0) << "  " << per_second(report, answers(report))
      << " requests per second";
  if (has_ranges) out << ", " << per_second(report, rows(report)) << " rows per second";
  out << "\n  latency in us:" << std::setprecision(1);
  for (const auto& [name, percent] : kPercentiles) {
    out << " " << name << " " << microseconds(tally.latency.percentile(percent)) << ",";
  }
  out << " max " << microseconds(tally.latency.max()) << "\n";
  if (report.server_cpu_seconds) {
    out << std::setprecision(3) << "  server CPU per request: " << cpu_us(report, answers(report))
        << " us";
    if (has_ranges) out << ", per row: " << cpu_us(report, rows(report)) << " us";
    out << "\n";
  }
  if (tally.errors > 0) out << "  first error: " << tally.first_error << "\n";
  return out.str();
}

std::string as_json(const Report& report) {
  const Tally& tally = report.tally;
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "{\"target\":" << quoted(report.target)
      << ",\"workload\":" << quoted(report.workload)
      << ",\"distribution\":" << quoted(report.distribution)
      << ",\"connections\":" << report.connections << ",\"depth\":" << report.depth;
  if (report.rate > 0) out << ",\"rate\":" << report.rate;
  out << ",\"lookups\":" << tally.answers() << ",\"requests\":" << tally.answers()
      << ",\"rows\":" << tally.rows << ",\"errors\":" << tally.errors
      << ",\"seconds\":" << tally.seconds
      << ",\"per_second\":" << per_second(report, answers(report))
      << ",\"rows_per_second\":" << per_second(report, rows(report)) << ",\"latency_us\":{";
  for (const auto& [name, percent] : kPercentiles) {
    out << '"' << name << "\":" << microseconds(tally.latency.percentile(percent)) << ',';
  }
  out << "\"max\":" << microseconds(tally.latency.max()) << "},\"percentiles\":[";
  for (const double percent : kCurve) {
    out << (percent > 0 ? ",[" : "[") << percent << ','
        << microseconds(tally.latency.percentile(percent)) << ']';
  }
  out << ']';
  if (report.server_cpu_seconds) {
    out << ",\"server_cpu_seconds\":" << *report.server_cpu_seconds
        << ",\"server_cpu_us\":" << cpu_us(report, answers(report))
        << ",\"server_cpu_us_per_row\":" << cpu_us(report, rows(report));
  }
  if (tally.errors > 0) out << ",\"first_error\":" << quoted(tally.first_error);
  out << "}\n";
  return out.str();
}

}  // namespace hs::bench
