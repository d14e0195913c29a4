// The tables of fuzz_batch: the same as in the transcripts of tests/conformance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testing/fake_engine.h"

namespace hs::fuzz {

// The rows of all tables, one after the other.
using Snapshot = std::vector<std::vector<std::string>>;

// Creates only tables whose database `requests` names, since the others would only cost time.
void create_tables(testing::FakeEngine& engine, std::string_view requests);
Snapshot snapshot(const testing::FakeEngine& engine);

}  // namespace hs::fuzz
