#include "adapter/changes.h"

#include <gtest/gtest.h>
#include <string.h>

#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "adapter/configuration.h"
#include "adapter/variables.h"

namespace hs::adapter {
namespace {

using seam::Variable;

class FakeHost final : public SettingsHost {
 public:
  void unlock_variables() override { locked_ = false; }
  void lock_variables() override { locked_ = true; }
  void raise(std::string_view sentence) override { errors.emplace_back(sentence); }
  void raise_no_such_connection(unsigned long long id) override {
    errors.push_back("no connection " + std::to_string(id));
  }
  const void* copy(THD*, const void* bytes, size_t size) override {
    copies_.emplace_back(static_cast<const char*>(bytes), size);
    return copies_.back().data();
  }
  server::OwnPlaces own_places() override {
    server::OwnPlaces places;
    places.addresses = "127.0.0.1";
    places.port = 3306;
    return places;
  }

  bool is_locked() const { return locked_; }

  std::vector<std::string> errors;

 private:
  bool locked_ = true;  // as the server calls update()
  std::deque<std::string> copies_;
};

void keep(char** variable, char* text) {
  std::free(*variable);
  *variable = text;
}

class Changes : public testing::Test {
 protected:
  Changes() {
    use_values_of({&values_, keep, nullptr, nullptr});
    values_.address = ::strdup("127.0.0.1");
    values_.port = ::strdup("9998");
    values_.socket_mode = ::strdup("0660");
  }
  ~Changes() override {
    forget_secrets();
    use_own_values();
    for (char* text : {values_.address, values_.port, values_.socket_mode, values_.plain_secret})
      std::free(text);
  }

  template <class T>
  void set(Variable which, T& variable, T value) {
    update(host_, which, &variable, &value);
    EXPECT_TRUE(host_.is_locked());
  }
  void set(Variable which, char*& variable, const char* value) {
    set<char*>(which, variable, const_cast<char*>(value));
  }

  FakeHost host_;
  seam::Values values_;
};

TEST_F(Changes, ATextIsCopiedForTheLoader) {
  std::string given = "9001";
  set(Variable::port, values_.port, given.data());
  given = "gone";
  EXPECT_STREQ(values_.port, "9001");
  EXPECT_TRUE(host_.errors.empty());
}

TEST_F(Changes, WhatCannotBeListenedByIsAnErrorAndTheVariableStays) {
  set(Variable::port, values_.port, "3306");
  EXPECT_STREQ(values_.port, "9998");
  ASSERT_EQ(host_.errors.size(), 1U);
  EXPECT_NE(host_.errors[0].find("3306"), std::string::npos);
  set(Variable::socket_mode, values_.socket_mode, "rw");
  EXPECT_STREQ(values_.socket_mode, "0660");
  EXPECT_EQ(host_.errors.size(), 2U);
}

TEST_F(Changes, NumbersAndSwitchesAreStored) {
  set(Variable::max_rows, values_.max_rows, 7U);
  set(Variable::max_memory, values_.max_memory, 1ULL << 40);
  set(Variable::threads, values_.threads, 3U);
  set(Variable::slow_log, values_.slow_log, true);
  set(Variable::long_query_time, values_.long_query_time, 0.5);
  EXPECT_EQ(values_.max_rows, 7U);
  EXPECT_EQ(values_.max_memory, 1ULL << 40);
  EXPECT_EQ(values_.threads, 3U);
  EXPECT_TRUE(values_.slow_log);
  EXPECT_EQ(values_.long_query_time, 0.5);
  EXPECT_EQ(read_settings().limits.max_rows, 7U);
}

TEST_F(Changes, ASecretIsTakenAsItsDigestAndNotShown) {
  const void* checked = nullptr;
  ASSERT_TRUE(check_secret(host_, nullptr, "sesame", &checked));
  EXPECT_EQ(static_cast<const char*>(checked)[0], 1);
  set(Variable::plain_secret, values_.plain_secret, static_cast<const char*>(checked));
  EXPECT_STREQ(values_.plain_secret, "(hidden)");
  EXPECT_TRUE(secrets.read.is_set());
  set(Variable::plain_secret, values_.plain_secret, "");
  EXPECT_STREQ(values_.plain_secret, "");
  EXPECT_FALSE(secrets.read.is_set());
  EXPECT_TRUE(host_.errors.empty());
}

TEST_F(Changes, AFileThatIsNotThereChangesNoSecret) {
  set(Variable::plain_secret_file, values_.plain_secret_file, "/there/is/none");
  EXPECT_EQ(values_.plain_secret_file, nullptr);
  EXPECT_EQ(host_.errors.size(), 1U);
}

TEST_F(Changes, WithoutAServerThereIsNoConnectionToKill) {
  EXPECT_FALSE(kill_connection(host_, 5));
  EXPECT_EQ(host_.errors, std::vector<std::string>{"no connection 5"});
}

}  // namespace
}  // namespace hs::adapter
