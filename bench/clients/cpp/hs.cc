// The client for C++.
#include <exception>
#include <handlersocket2.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../c/load.h"

namespace {

std::optional<hs::Client> client;  // one for all threads

void look_up(const hs::Table& table, const int* keys, char values[][VALUE + 1]) {
  if (count == 1) {
    const auto row = table.get({keys[0]});
    const auto value = row->get<std::string_view>("value");
    take(values[0], value.data(), value.size());
    return;
  }
  hs::Pipeline pipeline(*client);
  std::vector<hs::Result<std::optional<hs::Row>>> rows;
  rows.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; i++) rows.push_back(pipeline.get(table, {keys[i]}));
  pipeline.run();
  for (int i = 0; i < count; i++) {
    const auto value = rows[static_cast<std::size_t>(i)].get()->get<std::string_view>("value");
    take(values[i], value.data(), value.size());
  }
}

}  // namespace

void ours_prepare() { client.emplace("hs://127.0.0.1:" + std::to_string(port)); }

void* ours_open() { return new hs::Table(client->table("test.pairs", {"value"})); }

void ours_look_up(void* state, const int* keys, char values[][VALUE + 1]) {
  try {
    look_up(*static_cast<const hs::Table*>(state), keys, values);
  } catch (const std::exception& error) {
    need(false, error.what());
  }
}
