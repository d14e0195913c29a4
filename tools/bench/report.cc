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

double microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

double per_second(const Tally& tally) {
  return tally.seconds > 0 ? static_cast<double>(tally.answers()) / tally.seconds : 0;
}

double cpu_us(const Report& report) {
  const auto answers = static_cast<double>(report.tally.answers());
  return answers > 0 ? report.server_cpu_seconds.value_or(0) * 1e6 / answers : 0;
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
  std::ostringstream out;
  out << std::fixed << report.target << ", " << report.connections << " connections, depth "
      << report.depth << ": " << tally.answers() << " lookups in " << std::setprecision(2)
      << tally.seconds << " s, " << tally.errors << " errors\n"
      << std::setprecision(0) << "  " << per_second(tally) << " lookups per second\n"
      << "  latency in us:" << std::setprecision(1);
  for (const auto& [name, percent] : kPercentiles) {
    out << " " << name << " " << microseconds(tally.latency.percentile(percent)) << ",";
  }
  out << " max " << microseconds(tally.latency.max()) << "\n";
  if (report.server_cpu_seconds) {
    out << std::setprecision(3) << "  server CPU per lookup: " << cpu_us(report) << " us\n";
  }
  if (tally.errors > 0) out << "  first error: " << tally.first_error << "\n";
  return out.str();
}

std::string as_json(const Report& report) {
  const Tally& tally = report.tally;
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "{\"target\":" << quoted(report.target)
      << ",\"connections\":" << report.connections << ",\"depth\":" << report.depth
      << ",\"lookups\":" << tally.answers() << ",\"errors\":" << tally.errors
      << ",\"seconds\":" << tally.seconds << ",\"per_second\":" << per_second(tally)
      << ",\"latency_us\":{";
  for (const auto& [name, percent] : kPercentiles) {
    out << '"' << name << "\":" << microseconds(tally.latency.percentile(percent)) << ',';
  }
  out << "\"max\":" << microseconds(tally.latency.max()) << "}";
  if (report.server_cpu_seconds) {
    out << ",\"server_cpu_seconds\":" << *report.server_cpu_seconds
        << ",\"server_cpu_us\":" << cpu_us(report);
  }
  if (tally.errors > 0) out << ",\"first_error\":" << quoted(tally.first_error);
  out << "}\n";
  return out.str();
}

}  // namespace hs::bench
