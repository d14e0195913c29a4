// Values of the acceptance script in JSON: clients/acceptance/README.md. For the drivers of C and C++.
#pragma once

#include <handlersocket2.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace driver {

using Json = nlohmann::json;

inline const char* const digits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string to_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; k++)
      three = three << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0);
    for (std::size_t k = 0; k < 4; k++)
      out += i + k <= bytes.size() ? digits64[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

inline std::string from_base64(const std::string& text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    const std::size_t digit = std::string_view(digits64).find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

inline Json bytes(std::string_view data) { return {{"bytes", to_base64(data)}}; }

inline Json integer(std::int64_t number) {
  const std::int64_t exact = std::int64_t{1} << 53;
  if (number <= exact && number >= -exact) return number;
  return {{"integer", std::to_string(number)}};
}

inline Json natural(std::uint64_t number) {
  if (number <= std::uint64_t{1} << 53) return number;
  return {{"integer", std::to_string(number)}};
}

inline Json id(std::uint64_t number) { return number == 0 ? Json() : natural(number); }

inline Json error(const hs_error& e) {
  Json out = {{"class", hs_error_name(e.kind)}, {"text", e.text}};
  if (e.code != 0) out["code"] = e.code;
  if (e.number != 0) out["number"] = e.number;
  if (e.kind == HS_CONNECTION || e.kind == HS_TIMEOUT || e.kind == HS_PROTOCOL)
    out["sent"] = e.sent != 0;
  return {{"error", out}};
}

// Of a list with commas.
inline Json split(const std::string& list) {
  Json out = Json::array();
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

inline const char* const names_of_tables[] = {"table", "comment"};
inline const char* const names_of_columns[] = {"column",  "type",  "nullable",      "key",
                                               "default", "extra", "character_set", "comment"};
inline const char* const names_of_indexes[] = {"index",  "position",  "column",
                                               "unique", "direction", "prefix_length"};

// What a description with so many columns calls them; null: databases.
inline const char* const* description(std::size_t columns) {
  return columns == 8   ? names_of_columns
         : columns == 6 ? names_of_indexes
         : columns == 2 ? names_of_tables
                        : nullptr;
}

}  // namespace driver
