// Changes, filters, a range, a pipeline and a transaction: tour URL, with the table test.user of
// docs/protocol.md.
#include <handlersocket2.hpp>
#include <iostream>

namespace {

void run(const hs::Client& client) {
  const hs::Table user = client.table("test.user", {"user_id", "user_name"});
  for (int id = 9001; id <= 9005; id++) {
    user.upsert({{"user_id", id}, {"user_name", "user " + std::to_string(id)}});
  }

  hs::Bounds bounds;
  bounds.start = hs::Key{9001};
  bounds.stop = 9005;
  bounds.filters = {{"user_name", "!=", "user 9002"}};
  for (const hs::Row& row : user.range(bounds)) {
    std::cout << row.get<int>("user_id") << " " << row.get<std::string>("user_name") << "\n";
  }

  hs::Pipeline pipeline(client);
  const auto first = pipeline.get(user, {9001});
  const auto renamed = pipeline.update(user, {9001}, {{"user_name", "renamed"}});
  const auto again = pipeline.insert(user, {{"user_id", 9001}});
  pipeline.run();
  std::cout << first.get()->get<std::string>("user_name") << ", " << renamed.get() << " renamed\n";
  try {
    again.get();
  } catch (const hs::DuplicateKeyError& error) {
    std::cout << error.name() << " of its call alone\n";
  }

  hs::Transaction transaction(client);
  const hs::Table inside = transaction.in(user);
  for (const hs::Row& row : inside.returning(hs::When::before).erase(hs::Query(">=", {9001}, 5))) {
    std::cout << "deleted " << row.get<int>("user_id") << "\n";
  }
  transaction.commit();

  const bool there = user.visit({101}, [](const hs::RowView& row) {  // without copies
    std::cout << row.int64(0) << " " << row.text(1) << "\n";
  });
  if (!there) std::cout << "there is no user 101\n";
}

}  // namespace

int main(int argc, char** argv) try {  // NOLINT(bugprone-exception-escape)
  if (argc != 2) return 2;
  run(hs::Client(argv[1]));
  return 0;
} catch (const hs::Error& error) {
  std::cerr << error.name() << ": " << error.what() << "\n";
  return 1;
}
