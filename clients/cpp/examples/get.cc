// A row by its key, before and after a change: get URL, with the table test.user of docs/protocol.md
#include <handlersocket2.hpp>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const hs::Client client(argv[1]);
  const hs::Table user = client.table("test.user", {"user_id", "user_name"});
  user.upsert({{"user_id", 7}, {"user_name", "Elizabeth"}});
  if (const auto row = user.get({7})) std::cout << row->get<std::string>("user_name") << "\n";
  return 0;
} catch (const hs::Error& error) {
  std::cerr << error.name() << ": " << error.what() << "\n";
  return 1;
}
