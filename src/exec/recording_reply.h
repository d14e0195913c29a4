// For tests: a ReplyWriter that keeps the last reply as text, and checks the order of calls.
//
//   "ok"   "count 3"   "rows 2: [1,ada] [2,NULL]"   "error kpnum"
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <string>

#include "protocol/reply.h"

namespace hs::exec {

class RecordingReply : public protocol::ReplyWriter {
 public:
  uint64_t max_rows = UINT64_MAX;  // row() refuses further ones
  uint64_t bad_alloc_at = 0;       // row() throws at this one; 0 = never

  void ok() override { finish("ok"); }
  void count(uint64_t number) override { finish("count " + std::to_string(number)); }
  void begin_rows(size_t columns) override {
    EXPECT_EQ(state_, kIdle);
    state_ = kRows;
    columns_ = columns;
    rows_ = 0;
    text_ = "rows " + std::to_string(columns) + ":";
  }
  bool row(std::span<const Value> values) override {
    EXPECT_EQ(state_, kRows);
    EXPECT_EQ(values.size(), columns_);
    if (++rows_ == bad_alloc_at) throw std::bad_alloc();
    if (rows_ > max_rows) return false;
    text_ += " [";
    for (const Value& value : values) {
      if (&value != &values.front()) text_ += ',';
      text_ += value.is_null() ? "NULL" : value.text();
    }
    text_ += ']';
    return true;
  }
  void end_rows() override {
    EXPECT_EQ(state_, kRows);
    state_ = kDone;
  }
  void error(const Error& error) override {
    EXPECT_NE(state_, kDone);
    state_ = kIdle;
    finish("error " + error.text());
  }

  // The reply, which must be complete; ready for the next one then.
  std::string take() {
    EXPECT_EQ(state_, kDone);
    state_ = kIdle;
    return text_;
  }

 private:
  void finish(std::string text) {
    EXPECT_EQ(state_, kIdle);
    state_ = kDone;
    text_ = std::move(text);
  }

  enum { kIdle, kRows, kDone } state_ = kIdle;
  size_t columns_ = 0;
  uint64_t rows_ = 0;
  std::string text_;
};

}  // namespace hs::exec
