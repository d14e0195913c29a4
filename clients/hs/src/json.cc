#include "json.h"

#include <openssl/evp.h>

#include <nlohmann/json.hpp>

namespace hs::tool {
namespace {

using nlohmann::json;

std::string to_base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a NUL behind it
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

std::string from_base64(const std::string& text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0 || static_cast<size_t>(size) != bytes.size()) throw BadRecord("wrong base64");
  for (size_t i = text.size(); i > 0 && text[i - 1] == '=' && text.size() - i < 2; i--) {
    bytes.pop_back();
  }
  if (to_base64(bytes) != text) throw BadRecord("wrong base64");
  return bytes;
}

// Whether the text of a value is a number of JSON, too. As one, -0 would lose its sign.
bool is_number(const std::string& text) {
  return text != "-0" && !text.empty() && text.back() >= '0' && text.back() <= '9' &&
         json::accept(text);
}

void append_value(std::string& out, Kind kind, const Cell& value) {
  if (!value) {
    out += "null";
  } else if (kind == Kind::number && is_number(*value)) {
    out += *value;
  } else {
    try {
      if (kind != Kind::bytes) {
        out += json(*value).dump();
        return;
      }
    } catch (const json::type_error&) {  // no UTF-8
    }
    out += "{\"base64\":\"" + to_base64(*value) + "\"}";
  }
}

// Takes the values of one object as they come, so that no number loses its digits.
class Fill {
 public:
  explicit Fill(Fields& fields) : fields_(fields) {}

  bool null() { return add(std::nullopt); }
  bool boolean(bool value) { return add(value ? "1" : "0"); }
  bool number_integer(json::number_integer_t value) { return add(std::to_string(value)); }
  bool number_unsigned(json::number_unsigned_t value) { return add(std::to_string(value)); }
  bool number_float(json::number_float_t, const std::string& text) { return add(text); }
  bool string(std::string& value) {
    if (depth_ != 2) return add(std::move(value));
    fields_.back().value = from_base64(value);
    return filled_ = true;
  }
  bool binary(json::binary_t&) { return false; }
  bool key(std::string& name) {
    if (depth_ == 2) {
      if (name != "base64" || filled_) throw BadRecord("an object as a value");
      return true;
    }
    for (const Field& field : fields_) {
      if (field.column == name) throw BadRecord("\"" + name + "\" stands twice");
    }
    fields_.push_back({name, {}});
    return true;
  }
  bool start_object(size_t) {
    if (++depth_ > 2) throw BadRecord("an object as a value");
    filled_ = false;
    return true;
  }
  bool end_object() {
    if (depth_-- == 2 && !filled_) throw BadRecord("an object as a value");
    return true;
  }
  bool start_array(size_t) { throw BadRecord(depth_ == 0 ? "no object" : "an array as a value"); }
  bool end_array() { return false; }
  bool parse_error(size_t, const std::string&, const json::exception& error) {
    constexpr int number_overflow = 406;
    throw BadRecord(error.id == number_overflow ? "a number beyond those of JSON" : "no JSON");
  }

 private:
  bool add(Cell value) {
    if (depth_ == 0) throw BadRecord("no object");
    if (depth_ == 2) throw BadRecord("an object as a value");
    fields_.back().value = std::move(value);
    return true;
  }

  Fields& fields_;
  int depth_ = 0;
  bool filled_ = false;
};

}  // namespace

void append_json(std::string& out, const Columns& columns, const Row& row) {
  out += '{';
  for (size_t i = 0; i < row.size(); i++) {
    if (i > 0) out += ',';
    out += json(columns[i].name).dump() + ":";
    append_value(out, columns[i].kind, row[i]);
  }
  out += '}';
}

Fields parse_json(std::string_view line) {
  Fields fields;
  Fill fill(fields);
  json::sax_parse(line.begin(), line.end(), &fill);
  return fields;
}

}  // namespace hs::tool
