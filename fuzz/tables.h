// The tables of fuzz_batch: those that the transcripts of tests/conformance play on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testing/fake_engine.h"

namespace hs::fuzz {

// The rows of all tables, one after the other.
using Snapshot = std::vector<std::vector<std::string>>;

// Those whose database is named in `requests`: the others are nothing but time.
void create_tables(testing::FakeEngine& engine, std::string_view requests);
Snapshot snapshot(const testing::FakeEngine& engine);

}  // namespace hs::fuzz
