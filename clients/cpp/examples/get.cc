// A row by its key, before and after a change: get URL, with the table test.user of docs/protocol.md
#include <handlersocket2.hpp>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  hs::Client client(argv[1]);
  hs::Table user = client.table("test.user", {"user_id", "user_name"});
  user.upsert({{"user_id", std::int64_t{7}}, {"user_name", "Elizabeth"}});
  auto row = user.get({std::int64_t{7}});
  if (row) std::cout << std::get<std::string>(row->at("user_name")) << "\n";
  return 0;
} catch (const hs::Error& error) {
  std::cerr << error.name() << ": " << error.what() << "\n";
  return 1;
}
