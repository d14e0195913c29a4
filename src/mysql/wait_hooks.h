// SPDX-License-Identifier: GPL-2.0-only
// The server's callbacks when a thread waits and when a session is killed.
//
// The server has one set of them for all sessions, which its thread pool takes for itself, and does not
// call those that it finds. So what was there is called, too, and when the server has started and has all of
// its plugins, ours are put in front once more.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
namespace hs::mysql {

class ServerSession;

// The session that is in the calling thread; null: none is.
extern thread_local ServerSession* session_of_thread;

// From here on the server calls the sessions. Without effect when it does already.
void install_wait_hooks();
// Undoes it. False: another plugin has put its own callbacks in front of ours, which must go first.
bool remove_wait_hooks();

}  // namespace hs::mysql
