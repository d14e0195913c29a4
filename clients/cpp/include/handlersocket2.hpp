// The C++ client of HandlerSocket 2: RAII, exceptions and values over handlersocket2.h. The calls and
// their meaning are in clients/README.md.
//
// - A Client and a Table may be used by many threads at once; they are cheap to copy, and the copies are
//   the same client. A Pipeline, a Range, a Transaction and its tables are for one thread.
// - A child of fork() makes a client of its own.
// - Every call throws an Error of one of its classes, and std::bad_alloc.
#pragma once

#include <handlersocket2/client.hpp>
#include <handlersocket2/pipeline.hpp>
#include <handlersocket2/range.hpp>
#include <handlersocket2/returning.hpp>
#include <handlersocket2/table.hpp>
