// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/wait_hooks.h"

#include <atomic>
#include <mutex>

#include "mysql/server_session.h"

namespace hs::mysql {

thread_local ServerSession* session_of_thread;

namespace {

std::atomic<THD_event_functions*> before_ours;

// The server does not say whose wait it is when it waits for a page or a metadata lock.
void on_wait_begin(THD* thd, int type) {
  if (session_of_thread != nullptr) session_of_thread->on_wait_begin(type);
  const THD_event_functions* const others = before_ours;
  if (others != nullptr && others->thd_wait_begin != nullptr) others->thd_wait_begin(thd, type);
}

void on_wait_end(THD* thd) {
  if (session_of_thread != nullptr) session_of_thread->on_wait_end();
  const THD_event_functions* const others = before_ours;
  if (others != nullptr && others->thd_wait_end != nullptr) others->thd_wait_end(thd);
}

void on_kill(THD* thd) {
  if (ServerSession::wake(thd)) return;
  const THD_event_functions* const others = before_ours;
  if (others != nullptr && others->post_kill_notification != nullptr)
    others->post_kill_notification(thd);
}

THD_event_functions ours = {on_wait_begin, on_wait_end, on_kill};
std::mutex installing;

}  // namespace

void install_wait_hooks() {
  const std::lock_guard lock(installing);
  THD_event_functions*& current = Connection_handler_manager::event_functions;
  if (current == &ours) return;
  before_ours = current;
  current = &ours;
}

// While the server shuts down, the plugin of the callbacks before ours may have gone.
bool remove_wait_hooks() {
  const std::lock_guard lock(installing);
  THD_event_functions*& current = Connection_handler_manager::event_functions;
  if (current != &ours) return false;
  current = ServerSession::is_shut_down() ? nullptr : before_ours.load();
  before_ours = nullptr;
  return true;
}

}  // namespace hs::mysql
