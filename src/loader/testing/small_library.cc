// SPDX-License-Identifier: GPL-2.0-only
// A library of a server that there is not, for the unit tests of what looks at libraries.
#include "seam/library.h"

namespace {

struct {
  uint32_t name_size = 5, size = 5, type = 7;
  char name[8] = "test";
  char contents[8] = "four";
} const test_note __attribute__((section(".note.test"), used, aligned(4)));

struct {
  uint32_t name_size = sizeof hs::seam::kNoteName, size = sizeof(hs::seam::Note),
           type = hs::seam::kNoteType;
  char name[sizeof hs::seam::kNoteName] = "HandlerSocket 2";
  hs::seam::Note note = {HS_VERSION, hs::seam::seam_number(), 999918, "ab12"};
} const own_note __attribute__((section(".note.handlersocket2"), used, aligned(4)));

unsigned long long status(hs::seam::Status) { return HS_STATUS_NUMBER; }

}  // namespace

extern "C" __attribute__((visibility("default"), used))
const hs::seam::Library handlersocket2_library = {nullptr, nullptr, nullptr, nullptr,
                                                  nullptr, nullptr, status,  nullptr};
